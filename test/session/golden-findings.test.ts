import { expect, test } from 'vitest';
import { InsideServer, say } from './golden/inside-server.js';
import { openStory, type Story, toolNames } from './golden/story.js';

// Regressions that were found by reading the golden files.

const get = { name: 'get', description: 'A note by its number', annotations: { readOnlyHint: true } };
const lastOf = ({ api }: Story): string => api.received.at(-1)!.text;

test('a model that is told nothing but the words of a result reads in them that the call has failed', async () => {
  const fail = { name: 'fail', run: () => ({ isError: true, content: [say('[]')] }) };
  const story = await openStory('openai', { inside: { notes: new InsideServer({ tools: [fail] }) } });
  await story.say('Go.', [{ uses: [['mcp__notes__fail']] }, { say: 'Done.' }]);
  expect(lastOf(story)).toMatch(/"role":"tool","tool_call_id":"call_1","content":"[^"]*(?:fail|error)/iu);
});

test('a tool that the model has the definition of is not to be looked for when its server is back', async () => {
  const story = await openStory('openai', { inside: { notes: new InsideServer({ tools: [get] }) } });
  const { host } = story.session;
  await story.say('Hello.', [{ say: 'Hello.' }]);
  host.disable('notes');
  await story.say('Is it there?', [{ say: 'No.' }]);
  host.enable('notes');
  await story.until(() => toolNames(host).length === 1);
  await story.say('And now?', [{ say: 'Yes.' }]);
  expect(lastOf(story)).not.toContain('mcp__notes__get. Find');
});

test('instructions that a server has no more when it is back are told to hold no more', async () => {
  const notes = new InsideServer({ tools: [get], instructions: 'Count from 1.' });
  const story = await openStory('anthropic', { inside: { notes } });
  const { host } = story.session;
  await story.say('Hello.', [{ say: 'Hello.' }]);
  host.disable('notes');
  await story.say('Is it there?', [{ say: 'No.' }]);
  notes.prepare({ tools: [get] });
  host.enable('notes');
  await story.until(() => toolNames(host).length === 1);
  await host.settled();
  await story.say('And now?', [{ say: 'Yes.' }]);
  expect(lastOf(story)).toContain('do not hold any more');
});

test('what a built-in tool has said in words is not said a second time as JSON', async () => {
  const story = await openStory('anthropic', { inside: { notes: new InsideServer({ tools: [get] }) } });
  await story.say('Find.', [{ uses: [['ToolSearch', { query: 'nonsense' }]] }, { say: 'Nothing.' }]);
  expect(lastOf(story)).not.toContain('matches');
});
