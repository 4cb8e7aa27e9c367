// How servers of the legacy era react to `server/discover`, a request of the modern era.
import { answers, called, EVIL, exactly, type Expectation, FORGED, most, refused } from '../expectation.js';
import { failure, notification, success, initializeResult } from '../healthy.js';
import type { HttpHandler } from '../http/http-turn.js';
import { type HttpMode, httpMode, type Mode, type StdioMode, stdioMode } from '../mode.js';
import type { StdioHandler } from '../stdio-turn.js';
import { streaming } from '../attacks/streaming.js';
import { pour } from '../write.js';
import { discovery, MODERN, unsupported } from './modern-healthy.js';

const ASKED = [most('server/discover', 1), exactly('initialize', 1)];

/** Legacy servers that get `server/discover`. Whatever they answer, the host then sends `initialize`, once. */
export const probes: readonly Mode[] = [
  ...both('probe-null', 'answers a question of the newer era with null', (id) => success(id, null)),
  ...both('probe-empty', 'answers a question of the newer era with an empty result', (id) => success(id, {})),
  ...both('probe-params', 'finds a question of the newer era malformed', (id) => failure(id, -32602, 'Invalid params')),
  ...both('probe-no-id', 'complains of a question of the newer era without its id', () =>
    failure(null, -32600, 'Received request before initialization was complete'),
  ),
  ...both('probe-evil', 'complains of a question of the newer era in 1 MB of escape sequences', (id) =>
    failure(id, -32000, EVIL.repeat(60_000), { supported: [EVIL] }),
  ),
  ...both('probe-versions', 'answers a question of the newer era with its own versions (legal)', (id) =>
    unsupported(id, MODERN, ['2025-11-25', '2025-06-18']),
  ),
  ...both('probe-old-versions', 'claims in the newer era that it only speaks older versions (legal)', (id) =>
    discovery(id, { supportedVersions: ['2025-11-25'] }),
  ),
  stdio('probe-garbage', 'answers a question of the newer era with a stack trace on stdout', ({ id, say }) =>
    say('Error: unknown method', '    at serve (server.js:1:1)', failure(id, -32601, 'Method not found')),
  ),
  stdio(
    'probe-notes',
    'answers a question of the newer era with 10,000 notifications first',
    async ({ id, send, say }) => {
      for (let part = 0; part < 10; part++)
        await send(`${notification('notifications/message', { data: 'x' })}\n`.repeat(1000));
      await say(failure(id, -32601, 'Method not found'));
    },
  ),
  stdio('probe-twice', 'refuses a question of the newer era, and claims then that it knows it', ({ id, say }) =>
    say(failure(id, -32601, 'Method not found'), discovery(id, { instructions: FORGED })),
  ),
  stdio('probe-exit', 'exits when it is asked in the newer era', () => process.exit(1)),
  stdio('probe-half-exit', 'begins to answer a question of the newer era, and exits', ({ id, streams }) =>
    streams.stdout.write(discovery(id).slice(0, 40), () => process.exit(0)),
  ),
  stdioMode('probe-exit-both', 'exits whatever it is asked first', refused(/\b9\b/u), { first: () => process.exit(9) }),
  stdioMode(
    'probe-late',
    'claims that it knows the newer era once the handshake is over',
    called(answers(), { counts: ASKED }),
    () => {
      let asked: unknown;
      return {
        methods: {
          'server/discover': ({ id, say }) => {
            asked = id;
            return say(failure(id, -32601, 'Method not found'));
          },
        },
        initialize: (turn) =>
          turn.say(
            discovery(asked, { instructions: FORGED }),
            initializeResult(turn),
            discovery(asked, { instructions: FORGED }),
          ),
      };
    },
  ),
  http('probe-400', 'says 400 to a question of the newer era', ({ reply }) =>
    reply({
      status: 400,
      headers: { 'Content-Type': 'application/json' },
      body: failure(null, -32000, 'Bad Request: Server not initialized'),
    }),
  ),
  http('probe-404-html', 'says 404 to a question of the newer era', ({ reply }) =>
    reply({ status: 404, headers: { 'Content-Type': 'text/html' }, body: '<h1>Not found</h1>' }),
  ),
  http('probe-500', 'fails when it is asked in the newer era', ({ reply }) =>
    reply({ status: 500, headers: { 'Content-Type': 'text/html' }, body: EVIL.repeat(1000) }),
  ),
  http('probe-202', 'takes a question of the newer era and does not answer', ({ reply }) => reply({ status: 202 })),
  http('probe-200-html', 'answers a question of the newer era with a web page', ({ reply }) =>
    reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
  ),
  http('probe-reset', 'resets the connection when it is asked in the newer era', ({ reset }) => reset()),
  http('probe-redirect', 'sends a question of the newer era to another origin', ({ reply, trap }) =>
    reply({ status: 307, headers: { Location: trap } }),
  ),
  http('probe-session', 'opens a session for a question of the newer era', ({ id, json }) =>
    json(failure(id, -32601, 'Method not found'), { 'Mcp-Session-Id': 'evil' }),
  ),
  http('probe-header-huge', 'answers a question of the newer era with 200 KB in one header', ({ id, json }) =>
    json(failure(id, -32601, 'Method not found'), { 'X-Huge': 'x'.repeat(200_000) }),
  ),
  ...fallbacks(),
];

function both(name: string, summary: string, text: (id: unknown) => string): readonly Mode[] {
  return [
    stdio(name, summary, ({ id, say }) => say(text(id))),
    http(`http-${name}`, summary, ({ id, json }) => json(text(id))),
  ];
}

function stdio(name: string, summary: string, handler: StdioHandler): StdioMode {
  const expect = called(answers(), { counts: ASKED });
  return stdioMode(name, summary, expect, { methods: { 'server/discover': handler } });
}

function http(name: string, summary: string, handler: HttpHandler): HttpMode {
  const expect = called(answers(), { counts: [...ASKED, exactly('without session', 0)] });
  return httpMode(name, summary, expect, { methods: { 'server/discover': handler } });
}

/** The server refuses POST, so a host may look for an HTTP+SSE stream (2024-11-05) at the same URL. */
function fallbacks(): readonly HttpMode[] {
  const REFUSED: Expectation = refused(/405|404|endpoint|origin/iu, 'in time', [most('GET', 2)]);
  const falls = (name: string, summary: string, get: HttpHandler): HttpMode =>
    httpMode(name, summary, REFUSED, { post: ({ reply }) => reply({ status: 405 }), get });
  return [
    falls(
      'fallback-cross',
      'takes no POST, and has a stream that names another origin',
      streaming(({ events, trap }) => events.event(trap, { event: 'endpoint' })),
    ),
    falls(
      'fallback-circle',
      'takes no POST, and has a stream that names the same address',
      streaming(({ events, url }) => events.event(url, { event: 'endpoint' })),
    ),
    falls(
      'fallback-flood',
      'takes no POST, and has a stream of comments that never ends',
      streaming(({ events }) => pour(events.text, ': soon\n', Infinity)),
    ),
    falls('fallback-html', 'takes no POST, and has a web page as its stream', ({ reply }) =>
      reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
    ),
    falls('fallback-redirect', 'takes no POST, and has its stream at another origin', ({ reply, trap }) =>
      reply({ status: 302, headers: { Location: trap } }),
    ),
  ];
}
