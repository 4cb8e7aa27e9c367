// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
import { byHand, only, overHttp, said } from '../behaviour.js';

const MANY = 50;

/** Only over HTTP can a server forget a session; the modern era has no sessions. */
export const sessions = only('legacy', [
  {
    title: 'every request after the handshake names session and version',
    own: {},
    transports: overHttp,
    run: async (stage) => {
      await stage.http!.listened();
      await stage.call('echo', { text: 'hello' });
      await stage.client().close();
      // The request that detects the era comes first, and has neither session nor version.
      const [first, ...rest] = stage.http!.log.filter(({ headers }) => headers['mcp-method'] === undefined);
      return [
        first!.headers['mcp-session-id'],
        new Set(rest.map(({ headers }) => headers['mcp-protocol-version'])),
        new Set(rest.map(({ headers }) => headers['mcp-session-id'])).size,
      ];
    },
    expected: [undefined, new Set(['2025-11-25']), 1],
  },
  {
    title: 'closing ends the session of the server',
    own: {},
    transports: overHttp,
    run: async (stage) => {
      await stage.client().close();
      return stage.http!.sessions.size;
    },
    expected: 0,
  },
  {
    title: 'a server that has forgotten the session is greeted again, and the call is answered',
    own: {},
    transports: overHttp,
    run: async (stage) => {
      stage.http!.sessions.clear();
      return [await stage.call('echo', { text: 'hello' }), stage.http!.sessions.size];
    },
    expected: [said('hello'), 1],
  },
  {
    title: `a server that has forgotten the session is greeted once for ${MANY} calls`,
    own: {},
    transports: overHttp,
    run: async (stage) => {
      stage.http!.sessions.clear();
      const calls = Array.from({ length: MANY }, () => stage.call('echo', { text: 'hello' }));
      return [new Set((await Promise.all(calls)).map((outcome) => JSON.stringify(outcome))), stage.http!.sessions.size];
    },
    expected: [new Set([JSON.stringify(said('hello'))]), 1],
  },
  {
    title: 'a server that forgets every session is given up after one more',
    own: { server: { memory: 'none' } },
    servers: byHand,
    transports: overHttp,
    run: async (stage) => [await stage.call('echo', { text: 'hello' }), stage.http!.sessions.size],
    expected: [{ error: 'session-lost' }, 2],
  },
]);
