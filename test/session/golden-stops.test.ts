import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../src/session/session-event.js';
import { InsideServer, say } from './golden/inside-server.js';
import { APIS } from './golden/script.js';
import { checkStory, openStory } from './golden/story.js';

// What a model reads after a turn was stopped or has failed, or after a switch of models.

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const get = {
  name: 'get',
  description: 'A note by its number',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
  annotations: { readOnlyHint: true },
};
const add = { name: 'add', description: 'Adds a note' };

describe.each(APIS)('%s', (api) => {
  test('what was stopped keeps what was said, every call has its answer, and the model knows', async () => {
    let stop = new AbortController();
    let stopAt: SessionEvent['kind'] | undefined;
    const onEvent = ({ kind }: SessionEvent): void => void (kind === stopAt && stop.abort());
    const wait = { name: 'wait', run: () => new Promise<object>(() => setImmediate(() => stop.abort())) };
    const story = await openStory(api, { inside: { notes: new InsideServer({ tools: [get, add, wait] }) }, onEvent });
    await story.say('Hello.', [{ say: 'Hello.' }]);

    story.note('The user stops it in the middle of a sentence.');
    stopAt = 'text';
    const told = { think: 'A long one.', say: `Once upon a time${' there was a note'.repeat(20)}.` };
    expect(await story.say('Tell me a story.', [{ ...told, but: 'stops' }], stop.signal)).toMatchObject({
      end: { kind: 'cancelled', isSent: true },
    });
    stopAt = undefined;
    await story.say('Shorter.', [{ say: 'Once.' }]);

    story.note('The user stops it while a call is under way, and another waits for it.');
    stop = new AbortController();
    await story.say('Wait.', [{ uses: [['mcp__notes__wait'], ['mcp__notes__add', { text: 'x' }]] }], stop.signal);
    await story.say('Go on.', [{ uses: [['mcp__notes__get', { number: 1 }]] }, { say: 'Done.' }]);

    story.note('The user stops it before it has said anything.');
    stop = new AbortController();
    const asked = story.api.asked(story.api.requests.length + 1).then(() => stop.abort());
    expect(await story.say('Never mind.', [{ but: 'is silent' }], stop.signal)).toMatchObject({
      end: { kind: 'cancelled', isSent: false },
    });
    await asked;
    await story.say('Bye.', [{ say: 'Bye.' }]);
    checkStory(story, `${api}-cancelled`);
  });

  test('what an API refuses is taken back, and what was done before it stays', async () => {
    const notes = new InsideServer({ tools: [get] });
    const story = await openStory(api, { inside: { notes } });
    await story.say('Hello.', [{ say: 'This cannot be', but: 'refuses' }]);
    await story.say('Hello?', [{ say: 'Hello.' }]);
    story.note('Its server says something new: that is told, whatever becomes of the message behind it.');
    notes.prepare({ tools: [get], instructions: 'Count from 0.' });
    await story.session.host.reconnect('notes');
    await story.session.host.settled();
    await story.say('Get one.', [{ say: `A long answer${' and on'.repeat(99)}.`, but: 'breaks off' }]);
    await story.say('Get one, please.', [
      { uses: [['mcp__notes__get', { number: 1 }]] },
      { say: 'too long', but: 'refuses' },
      { say: 'I cannot read that.' },
    ]);
    await story.say('Once more.', [
      { uses: [['mcp__notes__get', { number: 2 }]] },
      { say: 'too long', but: 'refuses' },
      { say: 'still too long', but: 'refuses' },
    ]);
    await story.say('And?', [{ say: 'Here it is.' }]);
    checkStory(story, `${api}-failed`);
  });
});

test('another model reads the same conversation anew, in the shape of its own API, and so does the first when it is back', async () => {
  const draw = { name: 'draw', run: () => [say('One pixel:'), { type: 'image', data: PNG, mimeType: 'image/png' }] };
  const notes = new InsideServer({ tools: [get, draw], instructions: 'Count from 1.' });
  const story = await openStory('anthropic', { inside: { notes } });
  await story.say('Draw, and search.', [
    { think: 'Which one?', say: 'I look.', uses: [['mcp__notes__draw'], ['ToolSearch', { query: 'get' }]] },
    { think: 'That one.', say: 'A dot.' },
  ]);
  await story.switchTo('anthropic', 'second');
  await story.say('And you?', [{ think: 'Well.', say: 'I am the second.' }]);
  await story.switchTo('openai', 'third');
  story.note('Its server says something new meanwhile.');
  notes.prepare({ tools: [get, draw], instructions: 'Count from 0.' });
  await story.session.host.reconnect('notes');
  await story.session.host.settled();
  await story.say('And you?', [
    { think: 'Hm.', uses: [['mcp__notes__get', { number: 1 }]], id: 'functions.mcp__notes__get:0' },
    { say: 'I am the third.' },
  ]);
  await story.switchTo('anthropic', 'first');
  await story.say('Are you back?', [{ say: 'I am.' }]);
  await story.say('Good.', [{ say: 'Good.' }]);
  checkStory(story, 'both-model-switch');
});
