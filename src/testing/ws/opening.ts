import { answers, called, exactly, type Refused, refused, TIMED_OUT } from '../expectation.js';
import { answer, request } from '../healthy.js';
import type { Headers, Reply } from '../http/http-turn.js';
import { type WsMode, wsMode } from '../mode.js';
import { toHead } from '../http/response-head.js';
import { MB, pour, writeBytes } from '../write.js';
import { FORGED } from '../expectation.js';
import type { WsHandlers } from './ws-turn.js';

const EVIL = '\u001b[2J\u009b31m';
const NO_HTTP = /HTTP|closed|ended|reset/iu;

type Upgrade = NonNullable<WsHandlers['upgrade']>;

/** Handshakes that open no WebSocket, or one that the host has not asked for. */
export const wsOpening: readonly WsMode[] = [
  upgrades('accept-wrong', 'accepts the key of somebody else', refused(/accept|key/iu), {
    'Sec-WebSocket-Accept': 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
  }),
  upgrades('accept-missing', 'does not say which key it accepts', refused(/accept|key/iu), {
    'Sec-WebSocket-Accept': '',
  }),
  upgrades('upgrade-other', 'changes to a protocol that is no WebSocket', refused(/protocol|WebSocket/iu), {
    Upgrade: 'h2c',
  }),
  upgrades('upgrade-lonely', 'changes the protocol without saying that it upgrades', refused(/protocol|WebSocket/iu), {
    Connection: 'keep-alive',
  }),
  upgrades('protocol-other', 'chooses a subprotocol that nobody offered', refused(/subprotocol|protocol/iu), {
    'Sec-WebSocket-Protocol': 'soap',
  }),
  upgrades('protocol-evil', 'chooses a subprotocol of escape sequences', refused(/subprotocol|protocol|HTTP/iu), {
    'Sec-WebSocket-Protocol': EVIL.repeat(100),
  }),
  upgrades('extension', 'uses an extension that nobody offered', refused(/extension/iu), {
    'Sec-WebSocket-Extensions': 'x-permessage-evil',
  }),
  upgrades('header-huge', 'sends 200 KB in one header', refused(/header/iu), { 'X-Huge': 'x'.repeat(200_000) }),
  upgrading('header-many', 'sends 10,000 headers', refused(/header/iu), async ({ raw }) => {
    await raw('HTTP/1.1 101 Switching Protocols\r\n');
    await pour(raw, 'X-Many: x\r\n', 110_000);
    await raw('\r\n');
  }),
  upgrading('header-flood', 'sends headers and never stops', refused(/header/iu), async ({ raw }) => {
    await raw('HTTP/1.1 101 Switching Protocols\r\n');
    await pour(raw, 'X-And-On: and on\r\n', Infinity);
  }),
  upgrading('hints-flood', 'gives hints for ever and never an answer', refused(/header|hint/iu), ({ raw }) =>
    pour(raw, 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n', Infinity),
  ),
  upgrading('header-nul', 'puts NUL and lone CR into a header', refused(/HTTP|header/iu), ({ raw, head }) =>
    raw(toHead(101, { ...head, 'X-Evil': 'a\0b\rc', 'Bad Name': 'x' }, 'Switching Protocols')),
  ),
  refuses('status-200', 'answers with a web page', /200/u, {
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: `<!doctype html><script>alert(1)</script>${EVIL}`,
  }),
  refuses('status-401', 'wants somebody to sign in', /401|sign/iu, {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer' },
  }),
  refuses('status-403', 'lets nobody in', /403/u, { status: 403 }),
  refuses('status-404', 'knows no such address', /404/u, { status: 404 }),
  refuses('status-426', 'wants another version of WebSocket', /426/u, {
    status: 426,
    headers: { 'Sec-WebSocket-Version': '8' },
  }),
  refuses('status-500', 'fails with a page of 2 MB', /500/u, {
    status: 500,
    headers: { 'Content-Type': 'text/plain' },
    body: EVIL.repeat(250_000),
  }),
  upgrading('status-token', 'repeats the token in its refusal', refused(/500/u), ({ incoming, reply }) =>
    reply({
      status: 500,
      headers: { 'Content-Type': 'text/plain' },
      body: `no: ${incoming.headers['authorization'] ?? ''}`,
    }),
  ),
  upgrading('status-body-flood', 'refuses with a body that never ends', refused(/500/u), async ({ raw }) => {
    await raw(toHead(500, { 'Content-Type': 'text/plain' }));
    await pour(raw, 'x', Infinity);
  }),
  upgrading('redirect', 'sends whoever comes to another origin', refused(/redirect|307/iu), ({ reply, trap }) =>
    reply({ status: 307, headers: { Location: trap } }),
  ),
  upgrading('redirect-loop', 'sends whoever comes in a circle', refused(/redirect|302/iu), ({ reply, url }) =>
    reply({ status: 302, headers: { Location: url } }),
  ),
  upgrading('upgrade-hang', 'never answers the handshake', refused(TIMED_OUT, 'at the deadline'), () => undefined),
  upgrading('upgrade-half', 'sends half of a head and falls silent', refused(TIMED_OUT, 'at the deadline'), ({ raw }) =>
    raw('HTTP/1.1 101 Switching Pro'),
  ),
  upgrading('upgrade-reset', 'resets the connection', refused(/closed|reset/iu), ({ reset }) => reset()),
  upgrading(
    'upgrade-junk',
    'opens the WebSocket with noise behind it',
    refused(/cut off|frame|bits|type|closed/iu),
    (turn) => turn.raw(`${toHead(101, turn.head, 'Switching Protocols')}${'\u00ff'.repeat(100)}`),
  ),
  speaks('not-http', 'speaks SSH', (bytes) => bytes('SSH-2.0-OpenSSH_9.9\r\n')),
  speaks('tls-garbage', 'answers with a TLS alert', (bytes) => bytes(Uint8Array.of(21, 3, 3, 0, 2, 2, 40))),
  speaks('not-http-flood', 'answers with noise and never stops', (bytes) => pour(bytes, '\u0000\u00ff', Infinity)),
  wsMode('ws-accept-hang', 'accepts connections and says nothing', refused(TIMED_OUT, 'at the deadline'), {
    connection: (socket) => socket.resume(),
  }),
  wsMode(
    'ws-talks-first',
    'forges answers, asks and pings before anybody has spoken',
    called(answers(), { counts: [exactly('initialize', 1), exactly('unmasked', 0)] }),
    {
      async open({ say, frame }) {
        for (let id = 0; id < 100; id++) await say(answer(id, FORGED));
        await say(request('r', 'sampling/createMessage'));
        await frame('x', { opcode: 9 });
      },
    },
  ),
  wsMode('ws-closes-first', 'closes the WebSocket as soon as it is open', refused(/closed/iu), {
    open: ({ close }) => close(1008, 'not you'),
  }),
  wsMode(
    'ws-endless-first',
    'begins a message before anybody has spoken, and never ends it',
    refused(/cut off|large|MB|within|timed? ?out/iu, 'by the deadline'),
    {
      async open({ frame }) {
        const block = Buffer.alloc(MB, 'x');
        for (let opcode = 1; await frame(block, { opcode, isOpen: true }); opcode = 0);
      },
    },
  ),
];

function upgrades(name: string, summary: string, expect: Refused, changes: Headers): WsMode {
  return upgrading(name, summary, expect, ({ raw, head }) =>
    raw(Buffer.from(toHead(101, { ...head, ...changes }, 'Switching Protocols'), 'latin1')),
  );
}

function refuses(name: string, summary: string, text: RegExp, reply: Reply): WsMode {
  return upgrading(name, summary, refused(text, 'in time', [exactly('GET', 1)]), (turn) => turn.reply(reply));
}

function upgrading(name: string, summary: string, expect: Refused, upgrade: Upgrade): WsMode {
  return wsMode(`ws-${name}`, summary, expect, { upgrade });
}

function speaks(
  name: string,
  summary: string,
  talk: (send: (bytes: string | Uint8Array) => Promise<boolean>) => unknown,
): WsMode {
  return wsMode(`ws-${name}`, summary, refused(NO_HTTP), {
    connection: (socket) => talk((bytes) => writeBytes(socket, bytes)),
  });
}
