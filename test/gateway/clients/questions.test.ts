import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import {
  homeEnvironment,
  isServing,
  prepareGateway,
  startGateway,
  startProgram,
  suiteUpstream,
} from '../start-gateway.js';
import { agree, type ForeignClientKind, type ServerAddress } from './foreign-client.js';
import { sdk1, sdk2, sdk2Legacy } from './sdk-clients.js';

// A server asks in its era's way, the client answers in its own.

const server = 'upstream';

/** A call, what the client is asked meanwhile, and the text that it gets in the end. */
const calls: readonly (readonly [tool: string, input: JsonObject, asked: readonly string[], text: string])[] = [
  [
    'test_elicitation',
    { message: 'Who?' },
    ['form'],
    'User response: action=accept, content={"response":"my response"}',
  ],
  ['test_url', {}, ['url'], 'Visited: accept'],
  ['test_sampling', { prompt: '2 + 2?' }, ['sampling/createMessage'], 'LLM response: four'],
  ['test_input_required_result_list_roots', {}, ['roots/list'], '1 roots: file:///home/someone'],
  [
    'test_input_required_result_multiple_inputs',
    {},
    ['form', 'roots/list', 'sampling/createMessage'],
    'four my name, 1 roots',
  ],
  ['test_input_required_result_multi_round', {}, ['form', 'form'], 'Multi-round complete: my name likes my color'],
  ['test_input_required_result_request_state', {}, ['form'], 'state-ok: the state is the one that was given out'],
];

const ways = (['legacy', 'modern'] as const).flatMap((era) =>
  (['stdio', 'http'] as const).map((transport) => ({ era, transport })),
);

// All of them in test:full.
const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const overHttp = isFull ? [sdk1, sdk2Legacy, sdk2] : [sdk1, sdk2];
const overStdio = isFull ? [sdk1, sdk2] : [sdk2];

describe.skipIf(!isServing).each(ways)('a $era server over $transport', ({ era, transport }) => {
  test.each(overHttp.map((kind) => [kind.name, kind] as const))('asks %s over HTTP', (_, kind) =>
    check(kind, async (home) => {
      const gateway = await startGateway({ home, servers: { [server]: await upstream(home, era, transport) } });
      onTestFinished(() => gateway[Symbol.asyncDispose]());
      return { kind: 'http', url: `${gateway.origin}/mcp/${server}` };
    }),
  );

  test.each(overStdio.map((kind) => [kind.name, kind] as const))('asks %s over stdio', (_, kind) =>
    check(kind, async (home) => {
      const servers = { [server]: await upstream(home, era, transport) };
      const args = prepareGateway({ home, servers, flags: ['--names', 'plain'] });
      return { kind: 'stdio', args, env: homeEnvironment(home) };
    }),
  );
});

async function upstream(home: string, era: 'legacy' | 'modern', transport: 'stdio' | 'http'): Promise<object> {
  const args = suiteUpstream(era);
  if (transport === 'stdio') return { type: 'stdio', command: process.execPath, args: [...args, '--stdio'] };
  const program = await startProgram([...args, '--http', '0'], home);
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { type: 'http', url: `http://127.0.0.1:${program.line}/mcp` };
}

async function check(kind: ForeignClientKind, open: (home: string) => Promise<ServerAddress>): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-clients-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const asked: string[] = [];
  await using client = await kind.open(await open(home), (method, params) => {
    asked.push(method === 'elicitation/create' ? (params['mode'] === 'url' ? 'url' : 'form') : method);
    return agree(method, params);
  });
  const told = [];
  for (const [name, input] of calls) {
    const answer = await client.request('tools/call', { name, arguments: input });
    const questions = asked.splice(0).toSorted();
    const text = 'result' in answer ? textOf(answer.result) : answer.error;
    told.push({ name, questions, text });
  }
  expect(told).toEqual(calls.map(([name, , questions, text]) => ({ name, questions, text })));
  const prompt = await client.request('prompts/get', { name: 'test_input_required_result_prompt', arguments: {} });
  expect(prompt).toMatchObject({
    result: { messages: [{ content: { text: 'Use the following context: my context' } }] },
  });
}

function textOf({ content }: JsonObject): unknown {
  return (content as readonly JsonObject[] | undefined)?.[0]?.['text'];
}
