import { expect, test } from 'vitest';
import type { HostOptions } from '../../src/host/host-options.js';
import type { Elicitation } from '../../src/model/hooks/hook-call.js';
import { openScene } from '../host/scene.js';

/** A server whose only tool asks the user for a colour, if the client declares elicitation, and returns the answer. */
const SERVER = `
  let canAsk = false, waiting;
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const schema = { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'green'] } }, required: ['colour'] };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (method === 'initialize') {
      canAsk = params.capabilities.elicitation !== undefined;
      send({ id, result: { protocolVersion: '2025-11-25', serverInfo: { name: 'asker', version: '1' }, capabilities: { tools: {} } } });
    } else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'paint', inputSchema: { type: 'object' } }] } });
    else if (method === 'tools/call' && canAsk) {
      waiting = id;
      send({ id: 'q1', method: 'elicitation/create', params: { message: 'Which colour?', requestedSchema: schema } });
    } else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'nobody to ask' }] } });
    else if (id === 'q1') send({ id: waiting, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  });
`;

async function checkAnswer(options: HostOptions, expected: unknown, settings?: object): Promise<void> {
  await using scene = openScene();
  scene.configure({ asker: { command: process.execPath, args: ['-e', SERVER] } }, settings);
  const { host } = await scene.open(options);
  await host.settled();
  const { content } = await host.call({ name: 'mcp__asker__paint' });
  expect(content[0]!['text']).toBe(typeof expected === 'string' ? expected : JSON.stringify(expected));
}

test('a server that asks the user is answered by whoever embeds the host', async () => {
  const asked: Elicitation[] = [];
  const elicit = async (question: Elicitation) => {
    asked.push(question);
    return { action: 'accept', content: { colour: 'red' } } as const;
  };
  await checkAnswer({ ports: { elicit } }, { action: 'accept', content: { colour: 'red' } });
  expect(asked).toMatchObject([{ server: 'asker', mode: 'form', message: 'Which colour?' }]);
});

const elicitNobody = (): never => {
  throw new Error('nobody was to be asked');
};

test('a hook answers before anybody is asked, also one of the settings', async () => {
  const elicitation = [{ matcher: 'asker', run: () => ({ action: 'decline' }) as const }];
  await checkAnswer({ ports: { elicit: elicitNobody }, hooks: { elicitation } }, { action: 'decline' });
  const command = `printf '{"hookSpecificOutput":{"action":"accept","content":{"colour":"green"}}}'`;
  const hooks = { Elicitation: [{ matcher: 'asker', hooks: [{ type: 'command', command }] }] };
  await checkAnswer({}, { action: 'accept', content: { colour: 'green' } }, { hooks });
});

const RED = { action: 'accept', content: { colour: 'red' } } as const;
const elicitRed = async () => RED;

test.each<[string, object, object]>([
  [
    'replaces the content',
    { action: 'accept', content: { colour: 'green' } },
    { action: 'accept', content: { colour: 'green' } },
  ],
  ['declines', { action: 'decline' }, { action: 'decline' }],
  ['has no opinion', {}, RED],
  ['gives what does not fit the form', { action: 'accept', content: { colour: 'blue' } }, { action: 'cancel' }],
  ['fails', { action: 'yes' }, { action: 'cancel' }],
])('a hook that %s is heard before the answer goes to the server', async (_, said, expected) => {
  const seen: object[] = [];
  const ask = async (input: object): Promise<object> => {
    seen.push(input);
    return said;
  };
  const callback = { event: 'ElicitationResult', matcher: 'asker', label: 'results', ask } as const;
  await checkAnswer({ ports: { elicit: elicitRed }, hookCallbacks: [callback] }, expected);
  expect(seen).toMatchObject([
    {
      hook_event_name: 'ElicitationResult',
      mcp_server_name: 'asker',
      mode: 'form',
      message: 'Which colour?',
      ...RED,
    },
  ]);
  const command = `printf '%s' '${JSON.stringify(said)}'`;
  const hooks = { ElicitationResult: [{ matcher: 'asker', hooks: [{ type: 'command', command }] }] };
  await checkAnswer({ ports: { elicit: elicitRed } }, expected, { hooks });
});

test('a hook that fails and is to be ignored leaves the answer as it is', async () => {
  const hooks = { elicitationResult: [{ onFailure: 'continue', run: elicitNobody }] } as const;
  await checkAnswer({ ports: { elicit: elicitRed }, hooks }, RED);
});

test('an answer that does not fit the form is none, and one who throws has cancelled', async () => {
  await checkAnswer(
    { ports: { elicit: async () => ({ action: 'accept', content: { colour: 'blue' } }) } },
    { action: 'cancel' },
  );
  await checkAnswer({ ports: { elicit: () => Promise.reject(new Error('no')) } }, { action: 'cancel' });
});

test('where nobody can answer, a question is declined at once, with the reason', async () => {
  await checkAnswer({}, { action: 'decline', _meta: { 'plugboard/reason': 'nobody is there to ask' } });
});
