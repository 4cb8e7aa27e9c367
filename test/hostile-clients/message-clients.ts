import { envelope, modern, post } from '../serving/http-fixture.js';
import type { Message } from '../serving/message.js';
import { modernBody, modernHeaders } from './messages.js';
import { bytesOf, converse, statusesOf } from './raw-socket.js';
import type { HostileClient } from './scene.js';

/** A modern call whose body is written by hand: the status, and the code of the error or the id of the answer. */
function call(does: string, sees: unknown, body: string | Buffer, headers = modernHeaders('echo')): HostileClient {
  return {
    does,
    sees,
    attack: async ({ port }) => {
      const text = await converse(port, bytesOf({ body, headers }));
      // Within a head there are no braces.
      const [json] = /\{.*\}/su.exec(Buffer.from(text, 'latin1').toString()) ?? [];
      const answer = json === undefined ? undefined : (JSON.parse(json) as Message);
      return [statusesOf(text)[0], answer?.error ? answer.error.code : answer?.id];
    },
  };
}

const META = JSON.stringify(envelope());
/** With the id as it is written. */
const withId = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","_meta":${META}}}`;
const withParams = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const given = (json: string): string => withParams(`{"name":"echo","arguments":${json},"_meta":${META}}`);
const [PARSE, INVALID, PARAMS, MISMATCH, VERSION] = [-32700, -32600, -32602, -32020, -32022];

/** Clients whose messages are no messages, or only nearly. */
export const messageClients: readonly HostileClient[] = [
  ...['null', '{}', '[]', '1.5', '1e400', 'true', '9007199254740993', `"${'x'.repeat(1_001)}"`].map((id) =>
    call(`has the id ${id.slice(0, 20)}`, [400, INVALID], withId(id)),
  ),
  call('has the id -0', [200, 0], withId('-0')),
  call('has the id 1e3', [200, 1_000], withId('1e3')),
  call('has two ids', [200, 2], withId('1,"id":2')),
  call('has half a character as its id', [200, '\ud800'], withId('"\\ud800"')),
  call(
    'has two methods, and names the first one',
    [400, MISMATCH],
    withId('1,"method":"ping"').replace('"tools/call"', '"resources/read"'),
  ),
  call(
    'has two names, and names the first one',
    [400, MISMATCH],
    withParams(`{"name":"echo","name":"wait","_meta":${META}}`),
  ),
  call(
    'writes __proto__ everywhere',
    [200, 1],
    given('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}').replace(
      '{"jsonrpc"',
      '{"__proto__":{"method":"x"},"jsonrpc"',
    ),
  ),
  call('sends params as a list', [400, INVALID], withParams('[1]')),
  call('sends params as null', [400, INVALID], withParams('null')),
  call('sends a _meta that is a list', [400, PARAMS], withParams('{"name":"echo","_meta":[]}')),
  call(
    'speaks a version that there is not',
    [400, VERSION],
    given('{}').replace('2026-07-28', '2099-01-01'),
    modernHeaders('echo').map((line) => line.replace('2026-07-28', '2099-01-01')),
  ),
  call(
    'declares its capabilities as a list',
    [400, PARAMS],
    given('{}').replace('Capabilities":{}', 'Capabilities":[]'),
  ),
  call('speaks JSON-RPC 1.0', [400, INVALID], withId('1').replace('"2.0"', '"1.0"')),
  call('has a method of 300 characters', [400, INVALID], withId('1').replace('tools/call', 'x'.repeat(300))),
  call('has a method of 10 MB', [413, INVALID], `{"method":"${'x'.repeat(10_000_000)}"}`),
  call('nests a thousand levels', [413, INVALID], given(nested(1_000))),
  call('nests a million levels', [413, INVALID], nested(1_000_000)),
  call('sends a list of a million values', [413, INVALID], given(`[${'0,'.repeat(1_000_000)}0]`)),
  call(
    'sends an object with 100,000 keys',
    [200, 1],
    given(`{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":0`).join(',')}}`),
  ),
  call('sends bytes that are no UTF-8', [400, PARSE], Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  call('writes UTF-16', [400, PARSE], Buffer.from(`\ufeff${withId('1')}`, 'utf16le')),
  call('begins with a byte order mark', [200, 1], `\ufeff${withId('1')}`),
  call('sends two messages in one body', [400, PARSE], `${withId('1')}${withId('2')}`),
  call('sends JSON with a comma too many', [400, PARSE], given('{"a":1,}')),
  call('sends a number that is none', [400, PARSE], given('{"a":NaN}')),
  call('sends nothing', [400, PARSE], ''),
  call('sends a text', [400, INVALID], '"hello"'),
  call('sends null', [400, INVALID], 'null'),
  call('sends a batch of modern requests', [400, -32000], `[${withId('1')},${withId('2')}]`),
  call('calls a tool named as a property', [200, PARAMS], modernBody('__proto__'), modernHeaders('__proto__')),
  call('calls a tool without a name', [400, MISMATCH], modernBody('x').replace('"name":"x",', '')),
  call('calls a tool with a list as its name', [400, MISMATCH], withParams(`{"name":["echo"],"_meta":${META}}`)),
  call('names another method in the headers', [400, MISMATCH], withId('1'), modernHeaders('echo', 'tools/list')),
  call('names another tool in the headers', [400, MISMATCH], withId('1'), modernHeaders('cheap')),
  call('names its tool twice', [400, MISMATCH], withId('1'), [...modernHeaders('echo'), 'mcp-name: echo']),
  call('hides another tool in base64', [400, MISMATCH], withId('1'), modernHeaders('=?base64?Y2hlYXA=?=')),
  call('writes base64 that is none', [400, MISMATCH], withId('1'), modernHeaders('=?base64?ZWNobw?=')),
  call('writes its tool in base64', [200, 1], withId('1'), modernHeaders('=?base64?ZWNobw==?=')),
  call('names no method', [400, MISMATCH], withId('1'), ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Name: echo']),
  call(
    'wants a log level that there is not',
    [200, 1],
    modernBody('echo', { meta: { 'io.modelcontextprotocol/logLevel': '__proto__' } }),
  ),
  call(
    'calls an unknown method',
    [404, -32601],
    withId('1').replace('tools/call', 'constructor'),
    modernHeaders('echo', 'constructor'),
  ),
  call(
    'asks for the session methods of the other era',
    [404, -32601],
    withId('1').replace('tools/call', 'logging/setLevel'),
    modernHeaders('echo', 'logging/setLevel'),
  ),
];

/** Those whose calls go on. */
export const callingClients: readonly HostileClient[] = [
  ...[{ a: 1 }, [1], 1.5, null, 'x'.repeat(2_000)].map((progressToken) =>
    call(
      `has a progress token that is none: ${JSON.stringify(progressToken).slice(0, 10)}`,
      [200, 1],
      modernBody('progress', { meta: { progressToken } }),
      modernHeaders('progress'),
    ),
  ),
  {
    does: 'declares three megabytes of capabilities with each request',
    sees: [200, true],
    attack: async ({ url, endpoint }) => {
      const capabilities = { elicitation: {}, junk: 'x'.repeat(3_000_000) };
      let last = 0;
      for (let at = 0; at < 10; at++) {
        const meta = envelope({ ...capabilities, [`n${at}`]: {} });
        last = (await modern(url, 1, 'echo', { _meta: meta })).status;
      }
      const kept = endpoint.requests.map(({ client }) => JSON.stringify(client.capabilities).length);
      return [last, Math.max(...kept) < 50_000];
    },
  },
  {
    does: 'uses one progress token for all of its calls',
    sees: [64],
    attack: async ({ url }) => {
      const answers = await Promise.all(
        Array.from({ length: 64 }, async (_, at) => {
          const answer = await modern(url, 1, 'echo', { arguments: { at }, _meta: { progressToken: 't' } });
          return ((await answer.json()) as Message).result.content[0]!.text === JSON.stringify({ at });
        }),
      );
      return [answers.filter(Boolean).length];
    },
  },
  {
    does: 'answers instead of asking',
    sees: 400,
    attack: async ({ url }) => (await post(url, { jsonrpc: '2.0', id: 1, result: {} })).status,
  },
];
