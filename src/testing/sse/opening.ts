import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, exactly, FORGED, most, type Refused, refused, TIMED_OUT } from '../expectation.js';
import { chunk, toEvent } from '../http/event-stream.js';
import { answer, notification, request } from '../healthy.js';
import type { HttpHandler, Reply } from '../http/http-turn.js';
import { type SseMode, sseMode } from '../mode.js';
import { toHead } from '../http/response-head.js';
import { MB, pour, writeBytes } from '../write.js';
import type { StreamTurn } from './sse-turn.js';

const SSE = { 'Content-Type': 'text/event-stream' };
const CHUNKED = { ...SSE, 'Transfer-Encoding': 'chunked' };
const ELSEWHERE = /origin|address|not used|refuse/iu;
const NOT_SSE = /event stream|HTTP|type|endpoint/iu;
const BAD_HEAD = /header|HTTP|response|large|limit|parse/iu;
/** A host does not ask again and again for a stream that was refused. */
const ASKED = most('GET', 2);

/** Streams that are not SSE, and streams whose `endpoint` is an address where no message may go. */
export const sseOpening: readonly SseMode[] = [
  names('endpoint-cross', 'wants messages to be sent to another origin', stays(), ({ trap }) => trap),
  names('endpoint-cross-host', 'wants messages to be sent to another name of this machine', stays(), ({ url }) =>
    url.replace('127.0.0.1', 'localhost'),
  ),
  names('endpoint-no-scheme', 'wants messages to be sent to another origin, without a scheme', stays(), ({ trap }) =>
    trap.replace('http:', ''),
  ),
  names('endpoint-backslash', 'wants messages to be sent to another origin, behind backslashes', stays(), ({ trap }) =>
    trap.replace('http://', '\\\\'),
  ),
  names('endpoint-js', 'wants messages to be sent to a javascript: URL', stays(), () => 'javascript:alert(1)'),
  names('endpoint-file', 'wants messages to be written to a file', stays(), () => 'file:///etc/passwd'),
  names('endpoint-data', 'wants messages to be sent to a data: URL', stays(), () => 'data:text/plain,x'),
  names('endpoint-ws', 'wants messages to be sent over a WebSocket', stays(), ({ url }) => url.replace('http', 'ws')),
  names('endpoint-userinfo', 'names its own origin with a user and a password', stays(), ({ url }) =>
    url.replace('http://', 'http://user:pass@'),
  ),
  names('endpoint-empty', 'names nothing as the place for messages', refused(/nowhere|empty|endpoint/iu), () => ''),
  names('endpoint-nonsense', 'names what is no address', stays(), () => 'http://[::1:x/'),
  names('endpoint-evil', 'names escape sequences and turned text', stays(), () => 'http://\u001b[2J\u202e\u009b31m/'),
  names(
    'endpoint-huge',
    'names a place in 1 MB',
    refused(/endpoint|bytes|long|large/iu),
    () => `/messages?x=${'x'.repeat(MB)}`,
  ),
  opens(
    'endpoint-never',
    'never says where messages go',
    refused(TIMED_OUT, 'at the deadline', [ASKED]),
    () => undefined,
  ),
  opens(
    'endpoint-drip',
    'keeps its stream alive with comments and never says where messages go',
    refused(TIMED_OUT, 'at the deadline', [ASKED]),
    async ({ events }) => {
      while (await events.text(': soon\n\n')) await sleep(20);
    },
  ),
  opens(
    'endpoint-flood',
    'sends comments as fast as it can and never says where messages go',
    refused(/endpoint|bytes/iu),
    ({ events }) => pour(events.text, ': soon\n', Infinity),
  ),
  opens(
    'endpoint-line',
    'begins to name the place for messages and never ends',
    refused(/endpoint|bytes/iu),
    async ({ events }) => {
      await events.text('event: endpoint\ndata: /');
      await pour(events.text, 'x', Infinity);
    },
  ),
  opens(
    'endpoint-ended',
    'ends its stream before it says where messages go',
    refused(/ended|closed|endpoint|where/iu),
    ({ events }) => events.end(),
  ),
  opens(
    'endpoint-cut',
    'closes the connection while it says where messages go',
    refused(/ended|closed|cut|terminated/iu),
    async ({ events, get }) => {
      await events.text('event: endpoint\ndata: /mess');
      get.hangUp();
    },
  ),
  opens('endpoint-late', 'takes its time to say where messages go (legal)', once(), async ({ name }) => {
    await sleep(50);
    await name();
  }),
  opens('endpoint-padded', 'sends 8 KB of comments first (legal)', once(), async ({ events, name }) => {
    await events.text(`: ${'x'.repeat(8192)}\n\n`);
    await name();
  }),
  opens(
    'endpoint-absolute',
    'names the place for messages with its origin (legal)',
    once(),
    ({ get, endpoint, name }) => name(new URL(endpoint, get.url).href),
  ),
  opens(
    'endpoint-strange-lines',
    'names the place behind a BOM, with CR alone (legal)',
    once(),
    ({ events, endpoint }) => events.text(`\ufeffid: 1\rretry: 5\revent:endpoint\rdata:${endpoint}\r\r`),
  ),
  opens('endpoint-bytes', 'names the place in chunks of one byte (legal)', once(), async ({ events, endpoint }) => {
    for (const byte of Buffer.from(toEvent(endpoint, { event: 'endpoint' }))) await events.text(Uint8Array.of(byte));
  }),
  opens('endpoint-twice', 'names another origin as well, once messages go somewhere', once(), async (turn) => {
    await turn.name();
    await turn.name(turn.get.trap);
    await turn.name('/elsewhere');
  }),
  opens('endpoint-storm', 'names another place 5,000 times', once('in time'), async ({ name, events, get }) => {
    await name();
    const place = toEvent(get.trap, { event: 'endpoint' });
    for (let part = 0; part < 5; part++) if (!(await events.text(place.repeat(1000)))) return;
  }),
  opens('forged-before', 'forges answers and asks before it says where messages go', once(), async (turn) => {
    for (let id = 0; id < 100; id++) await turn.events.event(answer(id, FORGED));
    await turn.events.event(request('r', 'sampling/createMessage'));
    await turn.events.event(notification('notifications/tools/list_changed'));
    await turn.name();
  }),
  gets('get-404', 'has no stream at its address', refused(/404/u, 'in time', [ASKED]), replies({ status: 404 })),
  gets('get-405', 'has no stream', refused(/405/u, 'in time', [ASKED]), replies({ status: 405 })),
  gets('get-500', 'fails when asked for its stream', refused(/500/u, 'in time', [ASKED]), replies({ status: 500 })),
  gets('get-401', 'wants somebody to sign in', refused(/401|sign/iu, 'in time', [ASKED]), replies({ status: 401 })),
  gets(
    'get-500-evil',
    'fails with the token it was sent, in escape sequences',
    refused(/500/u, 'in time', [ASKED]),
    ({ incoming, reply }) =>
      reply({
        status: 500,
        headers: { 'Content-Type': 'text/plain' },
        body: `\u001b[2J${incoming.headers['authorization'] ?? ''}\u202e`.repeat(10_000),
      }),
  ),
  gets(
    'get-html',
    'gives a web page as its stream',
    refused(/text\/html/u),
    replies({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
  ),
  gets(
    'get-no-type',
    'does not say what its stream is',
    refused(NOT_SSE),
    replies({ status: 200, body: 'data: x\n\n' }),
  ),
  gets('get-204', 'has nothing to say', refused(/204/u), ({ raw }) => raw(toHead(204, {}, 'No Content'))),
  gets('get-redirect', 'sends whoever wants its stream to another origin', refused(/redirect|307|origin/iu), (turn) =>
    turn.reply({ status: 307, headers: { Location: turn.trap } }),
  ),
  gets('get-redirect-loop', 'sends whoever wants its stream in a circle', refused(/redirect|307/iu), (turn) =>
    turn.reply({ status: 307, headers: { Location: turn.url } }),
  ),
  gets('get-hang', 'never answers when asked for its stream', refused(TIMED_OUT, 'at the deadline'), () => undefined),
  gets('get-reset', 'resets the connection', refused(/closed|reset|socket|ended/iu), ({ reset }) => reset()),
  gets('get-header-huge', 'sends 200 KB in one header', refused(BAD_HEAD), ({ raw }) =>
    raw(toHead(200, { ...CHUNKED, 'X-Huge': 'x'.repeat(200_000) })),
  ),
  gets('get-header-flood', 'sends headers and never stops', refused(BAD_HEAD), async ({ raw }) => {
    await raw('HTTP/1.1 200 OK\r\n');
    await pour(raw, 'X-And-On: and on\r\n', Infinity);
  }),
  gets('get-encoding', 'packs its stream in a way that nobody knows', refused(/coding|quantum/iu), ({ raw }) =>
    raw(toHead(200, { ...CHUNKED, 'Content-Encoding': 'quantum' })),
  ),
  gets(
    'get-gzip-bomb',
    'sends a few KB that inflate to 300 MB of comments',
    refused(/endpoint|bytes|coding|gzip|large/iu),
    async ({ raw }) => {
      await raw(toHead(200, { ...CHUNKED, 'Content-Encoding': 'gzip' }));
      const { gzipSync } = await import('node:zlib');
      const bomb = chunk(gzipSync(`: ${'x'.repeat(MB)}\n`));
      for (let part = 0; part < 300; part++) if (!(await raw(bomb))) return;
    },
  ),
  sseMode('sse-legacy-not-http', 'speaks SSH', refused(/HTTP|response|parse|closed|ended/iu), {
    connection: (socket) => writeBytes(socket, 'SSH-2.0-OpenSSH_9.9\r\n'),
  }),
];

/** The token goes only to the configured address, and no message is sent at all. */
function stays(): Refused {
  return refused(ELSEWHERE, 'in time', [exactly('initialize', 0), ASKED]);
}

/** One stream, and one `initialize` on it. */
function once(when: 'at once' | 'in time' = 'at once'): SseMode['expect'] {
  return called(answers(when), { counts: [exactly('GET', 1), exactly('initialize', 1)] });
}

function names(name: string, summary: string, expect: Refused, place: (turn: StreamTurn['get']) => string): SseMode {
  return opens(name, summary, expect, (turn) => turn.name(place(turn.get)));
}

function opens(name: string, summary: string, expect: SseMode['expect'], open: (turn: StreamTurn) => unknown): SseMode {
  return sseMode(`sse-legacy-${name}`, summary, expect, { open });
}

function gets(name: string, summary: string, expect: Refused, get: HttpHandler): SseMode {
  return sseMode(`sse-legacy-${name}`, summary, expect, { get });
}

function replies(reply: Reply): HttpHandler {
  return (turn) => turn.reply(reply);
}
