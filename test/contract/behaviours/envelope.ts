// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
import type { JsonObject } from '../../../src/base/json.js';
import { type Behaviour, byHand, onEach, only, overHttp, said } from '../behaviour.js';
import { textOf } from '../clients/contract-client.js';

const names = ['Grüße', ' edges ', 'a\tb', 'line\nbreak', '=?base64?eA==?=', '☃'.repeat(100), ''];
const uris = ['note:///grüße', 'note:///a b ', '=?base64?eA==?=', `note:///${'x'.repeat(2_000)}`];
const mirrored: readonly JsonObject[] = [
  { region: 'eu-west' },
  { region: 'with blanks inside' },
  { region: '' },
  { region: ' Köln\t' },
  { region: 'a\r\nMcp-Method: tools/list' },
  { region: '=?base64?eA==?=' },
  { region: null, count: 0 },
  { count: -42, urgent: false },
  { region: 'all', count: Number.MAX_SAFE_INTEGER, urgent: true },
  {},
];

const missing = { code: -32021, message: 'needs a model', data: { requiredCapabilities: { sampling: {} } } };

/** What every request of the modern era carries, in its body and in headers. */
export const envelope = only('modern', [
  {
    title: 'every request says in which version it is, who asks and what that one can do',
    own: { client: { capabilities: { roots: {} }, handlers: { 'roots/list': () => ({ roots: [] }) } } },
    run: async (stage) => {
      await stage.client().listTools();
      await stage.client().read('note:///a');
      await stage.client().watch({ lists: ['tools'] });
      await stage.call('echo', { text: 'hello' }, { onProgress: () => {} });
      return JSON.parse(textOf(await stage.call('envelopes'))!) as unknown;
    },
    expected: [
      {
        version: '2026-07-28',
        client: ['name', 'version'],
        capabilities: { roots: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      },
    ],
  },
  // The server refuses a request whose headers disagree with its body before it looks for the tool.
  ...names.map((name): Behaviour => ({
    title: `the headers of a call name its tool: ${JSON.stringify(name).slice(0, 40)}`,
    run: (stage) => stage.call(name),
    expected: { error: 'rpc', rpc: { code: -32602, message: `Unknown tool: ${name}` } },
  })),
  ...uris.map((uri): Behaviour => ({
    title: `the headers of a request name its resource: ${JSON.stringify(uri).slice(0, 40)}`,
    run: async (stage) => {
      const outcome = await stage.client().read(uri);
      return 'rpc' in outcome ? outcome.rpc?.code : outcome;
    },
    expected: -32602,
  })),
  ...mirrored.map((input): Behaviour => ({
    title: `arguments that a tool marks are in the headers, too: ${JSON.stringify(input)}`,
    run: async (stage) => {
      await stage.client().listTools();
      return stage.call('region', input);
    },
    expected: said(JSON.stringify(input)),
  })),
  {
    title: 'a server that misses headers gets them, though its tools were never listed',
    own: {},
    run: (stage) => stage.call('region', { region: 'eu-west' }),
    expected: said('{"region":"eu-west"}'),
  },
  {
    title: 'a tool that marks what cannot be a header is not there, where there are headers',
    own: { server: { list: 'marks' } },
    servers: byHand,
    run: (stage) => stage.client().listTools(),
    expected: { ok: ['right', 'a number', 'a blank', 'no name', 'no text', 'in a list'] },
    expectedOn: onEach(overHttp, { ok: ['right'] }),
  },
  {
    title: 'nothing is sent but POST, and no session is named',
    own: { server: { session: 'offered' } },
    transports: overHttp,
    run: async (stage) => {
      await stage.client().watch({ lists: ['tools'] });
      const outcome = await stage.call('echo', { text: 'hello' });
      await stage.client().close();
      const { log } = stage.http!;
      const named = log.filter(({ headers }) => headers['mcp-session-id'] !== undefined);
      return [outcome, new Set(log.map(({ method }) => method)), named.length];
    },
    expected: [said('hello'), new Set(['POST']), 0],
  },
  {
    title: 'a server that lacks a capability of the client says which one',
    run: (stage) => stage.call('refuse', missing),
    expected: { error: 'rpc', rpc: missing },
  },
  refusedVersion('another version that both know is tried once', ['2026-07-28'], 2),
  refusedVersion('a version that nobody knows is not tried', ['2099-01-01'], 1),
]);

/** A server that refuses a version that it offered in its DiscoverResult. */
function refusedVersion(title: string, supported: readonly string[], times: number): Behaviour {
  const rpc = { code: -32022, message: 'Unsupported protocol version', data: { supported, requested: '2026-07-28' } };
  return {
    title,
    run: async (stage) => {
      const before = Number(textOf(await stage.call('count', { method: 'tools/call' })));
      const outcome = await stage.call('refuse', rpc);
      const after = Number(textOf(await stage.call('count', { method: 'tools/call' })));
      // The difference includes the second call of `count`.
      return [outcome, after - before - 1];
    },
    expected: [{ error: 'rpc', rpc }, times],
  };
}
