import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { answers, called, type Connected, ends, exactly, fails, most, refused } from '../expectation.js';
import { chunk, toEvent } from './event-stream.js';
import { answer, toolList, initializeResult } from '../healthy.js';
import type { Headers, HttpHandler } from './http-turn.js';
import { httpAttack, type HttpMode, httpMode } from '../mode.js';
import { toHead } from './response-head.js';
import { pour, writeBytes } from '../write.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };
const BAD_HEAD = /header|HTTP|response|length|large|limit|chunk|parse/iu;
const NO_HTTP = /HTTP|response|parse|closed|ended|reset/iu;
const PAGE = '<!doctype html><title>Sign in</title><form action="https://evil.test/">\u001b[2J</form>';

/** Headers and framing that are wrong, and servers that do not speak HTTP. */
export const httpHeaders: readonly HttpMode[] = [
  httpAttack('header-huge', 'sends 200 KB in one header', bad(), ({ id, json }) =>
    json(answer(id), { 'X-Huge': 'x'.repeat(200_000) }),
  ),
  httpAttack('header-many', 'sends 10,000 headers', bad(), ({ id, json }) =>
    json(answer(id), Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`X-${index}`, 'x']))),
  ),
  httpAttack('header-endless', 'sends headers and never stops', bad('in time'), async ({ raw }) => {
    await raw('HTTP/1.1 200 OK\r\n');
    await pour(raw, 'X-And-On: and on\r\n', Infinity);
  }),
  httpAttack('header-nul', 'puts NUL and lone CR into a header', called(ends(BAD_HEAD)), ({ id, json }) =>
    json(answer(id), { 'X-Evil': 'a\0b\rc' }),
  ),
  httpAttack('header-lures', 'sets cookies and points to other addresses', lured(), ({ id, json, trap }) =>
    json(answer(id), {
      'Set-Cookie': 'id=1; Path=/',
      'Alt-Svc': `h2="${new URL(trap).host}"; ma=86400`,
      Link: `<${trap}>; rel=preload`,
      Refresh: `0; url=${trap}`,
      'Content-Location': trap,
      Location: trap,
    }),
  ),
  names('header-session-evil', 'names its session with blanks, quotes and a tab', 'a b"; \tc'),
  names('header-session-long', 'names its session in 10 KB', 'x'.repeat(10_000)),
  httpMode(
    'header-session-changing',
    'names another session in every answer',
    called(answers(), { counts: [exactly('without session', 0)] }),
    () => {
      let next = 0;
      const changing = (): Headers => ({ 'Mcp-Session-Id': `session-${next++}` });
      return {
        list: ({ id, json }) => json(toolList(id), changing()),
        attack: ({ id, json }) => json(answer(id), changing()),
      };
    },
  ),
  httpAttack(
    'length-negative',
    'says that its answer has a negative length',
    bad(),
    headed({ ...JSON_TYPE, 'Content-Length': '-1' }),
  ),
  httpAttack(
    'length-huge',
    'says that its answer has 10^30 bytes',
    bad(),
    headed({ ...JSON_TYPE, 'Content-Length': `1${'0'.repeat(30)}` }),
  ),
  httpAttack('length-twice', 'gives two lengths', called(ends(BAD_HEAD)), async ({ id, raw }) => {
    const text = answer(id);
    await raw(toHead(200, { ...JSON_TYPE, 'Content-Length': String(text.length), 'content-length': '5' }));
    await raw(text);
  }),
  httpAttack('length-and-chunks', 'gives a length and chunks', called(ends(BAD_HEAD)), async ({ id, raw }) => {
    await raw(toHead(200, { ...CHUNKED, 'Content-Length': '5' }));
    await raw(chunk(answer(id)));
    await raw('0\r\n\r\n');
  }),
  httpAttack('chunk-bad-size', 'gives a chunk a size that is no number', bad(), async ({ id, raw }) => {
    await raw(toHead(200, CHUNKED));
    await raw(`zz\r\n${answer(id)}\r\n0\r\n\r\n`);
  }),
  httpAttack('chunk-huge-size', 'gives a chunk a size beyond every integer', bad(), async ({ id, raw }) => {
    await raw(toHead(200, CHUNKED));
    await raw(`${'f'.repeat(40)}\r\n${answer(id)}\r\n0\r\n\r\n`);
  }),
  httpAttack(
    'chunk-extensions',
    'hides 64 MB in the extensions of a chunk',
    called(ends(/header|HTTP|chunk|large|limit|within|timed? ?out/iu, 'by the deadline')),
    async ({ id, raw }) => {
      await raw(toHead(200, CHUNKED));
      await raw('1;');
      await pour(raw, 'a=b;', 64_000_000);
      await raw(`\r\n{\r\n`);
      await raw(chunk(answer(id).slice(1)));
      await raw('0\r\n\r\n');
    },
  ),
  httpAttack(
    'trailers-endless',
    'sends headers behind its answer and never stops',
    called(ends(BAD_HEAD, 'in time')),
    async ({ id, raw }) => {
      await raw(toHead(200, CHUNKED));
      await raw(chunk(answer(id)));
      await raw('0\r\n');
      await pour(raw, 'X-And-On: and on\r\n', Infinity);
    },
  ),
  httpAttack('ct-missing', 'gives no content type', typed(), ({ id, reply }) =>
    reply({ status: 200, body: answer(id) }),
  ),
  httpAttack('ct-html', 'answers with a web page to sign in', called(fails(/text\/html/u)), ({ reply }) =>
    reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: PAGE }),
  ),
  httpAttack('ct-evil', 'gives a content type of escape sequences', typed(), ({ id, reply }) =>
    reply({ status: 200, headers: { 'Content-Type': '\u009b31mtext/html; x="' }, body: answer(id) }),
  ),
  httpAttack(
    'ct-sse-lies-json',
    'says events and sends JSON',
    called(fails(/event|answer|stream/iu)),
    ({ id, reply }) => reply({ status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: answer(id) }),
  ),
  httpAttack('ct-json-lies-sse', 'says JSON and sends events', called(fails(/JSON/u)), ({ id, json }) =>
    json(toEvent(answer(id))),
  ),
  httpAttack(
    'ct-parameters',
    'writes its content type in capitals and with parameters (legal)',
    called(answers()),
    ({ id, json }) => json(answer(id), { 'Content-Type': 'Application/JSON ; charset="utf-8"; odd=1' }),
  ),
  httpMode('ct-html-connect', 'is a web page', refused(/text\/html/u, 'in time'), {
    post: ({ reply }) => reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: PAGE }),
  }),
  speaks('not-http', 'speaks SSH', (socket) => writeBytes(socket, 'SSH-2.0-OpenSSH_9.9\r\n')),
  speaks('tls-garbage', 'answers with a TLS alert', (socket) =>
    writeBytes(socket, Uint8Array.of(21, 3, 3, 0, 2, 2, 40)),
  ),
  speaks('not-http-flood', 'answers with noise and never stops', (socket) =>
    pour((bytes) => writeBytes(socket, bytes), '\u0000\u00ff', Infinity),
  ),
  speaks('accept-close', 'closes every connection at once', (socket) => socket.destroy()),
  httpMode(
    'accept-hang',
    'accepts connections and says nothing',
    refused(/within|timed? ?out|deadline/iu, 'at the deadline'),
    { connection: (socket) => socket.resume() },
  ),
  httpMode('delete-hang', 'never answers when the session is closed', called(answers()), {
    delete: () => sleep(60_000, undefined, { ref: false }),
  }),
];

function speaks(name: string, summary: string, connection: (socket: Socket) => unknown): HttpMode {
  return httpMode(name, summary, refused(NO_HTTP, 'in time'), { connection });
}

function bad(when: 'at once' | 'in time' = 'at once'): Connected {
  return called(fails(BAD_HEAD, when), { counts: [exactly('tools/call attack', 1)] });
}

/** The body is JSON, whatever its content type: the host accepts it, or fails with an error about the type. */
function typed(): Connected {
  return called(ends(/type|endpoint/iu));
}

function lured(): Connected {
  return called(answers(), { counts: [most('strayed', 0)] });
}

function headed(headers: Headers): HttpHandler {
  return async ({ id, raw }) => {
    await raw(toHead(200, headers));
    await raw(answer(id));
  };
}

/** A session id that a host must not repeat in a header, so the host refuses the connection. */
function names(name: string, summary: string, session: string): HttpMode {
  return httpMode(name, summary, refused(/session/iu), {
    initialize: (turn) => turn.json(initializeResult(turn), { 'Mcp-Session-Id': session }),
  });
}
