import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, type CallOutcome, ends, exactly, fails, most, refused } from '../expectation.js';
import { answer, failure } from '../healthy.js';
import type { HttpHandler, Reply } from './http-turn.js';
import { httpAttack, type HttpMode, httpMode } from '../mode.js';
import { toHead } from './response-head.js';

const ONCE = [exactly('tools/call attack', 1)];
const CHALLENGE = { 'WWW-Authenticate': 'Bearer resource_metadata="/.well-known/oauth-protected-resource"' };
const PAGE = '<!doctype html><title>Bad gateway</title><script>alert(1)</script>\u001b[2J';

/** Statuses that are not an answer, or that make a host repeat its request again and again. */
export const httpStatus: readonly HttpMode[] = [
  loses('status-404-session', 'forgets the session once', ({ id }) => ({
    status: 404,
    body: failure(id, -32001, 'Session not found'),
  })),
  loses('status-400-session', 'forgets the session once, and says 400', () => ({
    status: 400,
    body: failure(null, -32000, 'Bad Request: No valid session ID provided'),
  })),
  httpAttack(
    'status-404-always',
    'never knows the session when the tool is called',
    called(fails(/404|session/iu, 'in time'), {
      counts: [most('initialize', 2), most('tools/call attack', 2)],
    }),
    ({ id, reply }) => reply({ status: 404, body: failure(id, -32001, 'Session not found') }),
  ),
  connects('status-404-connect', 'knows no such address', /404/u, { status: 404, body: PAGE }),
  connects('status-401-connect', 'wants somebody to sign in', /401|sign|unauthor/iu, {
    status: 401,
    headers: CHALLENGE,
  }),
  connects('status-401-huge', 'wants somebody to sign in, in a header of 50 KB', /header|large|401|sign|unauthor/iu, {
    status: 401,
    headers: { 'WWW-Authenticate': `Bearer realm="${'x'.repeat(50_000)}"` },
  }),
  connects('status-405-connect', 'takes no POST', /405/u, { status: 405 }),
  connects('status-500-connect', 'fails at the first request', /500/u, { status: 500, body: PAGE }),
  replies('status-401-loop', 'wants somebody to sign in, whatever token is sent', /401|sign|unauthor/iu, 2, {
    status: 401,
    headers: CHALLENGE,
  }),
  httpMode(
    'status-403-scope-loop',
    'wants another scope each time',
    called(fails(/403|scope|forbidden/iu, 'in time'), { counts: [most('tools/call attack', 2)] }),
    () => ({ attack: growingScopes() }),
  ),
  httpAttack(
    'status-429-zero',
    'says 429 for ever, to be asked again at once',
    called(fails(/429|too many|rate|within|timed? ?out/iu, 'by the deadline'), {
      counts: [most('tools/call attack', 6)],
    }),
    ({ reply }) => reply({ status: 429, headers: { 'Retry-After': '0' } }),
  ),
  httpAttack(
    'status-429-later',
    'says 429, to be asked again in a minute and a half',
    called(fails(/429.*in 90 s/u), { counts: ONCE }),
    ({ reply }) => reply({ status: 429, headers: { 'Retry-After': '90' } }),
  ),
  httpAttack(
    'status-429-years',
    'says 429, to be asked again in thirty years',
    called(fails(/429|too many|rate|within|timed? ?out/iu, 'by the deadline'), { counts: ONCE }),
    ({ reply }) => reply({ status: 429, headers: { 'Retry-After': '999999999' } }),
  ),
  httpAttack(
    'status-500',
    'fails with a stack trace that holds the token it was sent',
    called(fails(/500/u), { counts: ONCE }),
    ({ reply, incoming }) =>
      reply({
        status: 500,
        headers: { 'Content-Type': 'text/plain' },
        body: `Error: no\n    at serve (/srv/app.js:1:1)\nAuthorization: ${incoming.headers['authorization'] ?? ''}\n\u001b[31m`,
      }),
  ),
  replies('status-502-html', 'fails with a web page of 2 MB', /502/u, 1, {
    status: 502,
    headers: { 'Content-Type': 'text/html' },
    body: PAGE.repeat(30_000),
  }),
  replies('status-503', 'is out of service for a year', /503/u, 1, {
    status: 503,
    headers: { 'Retry-After': '31536000' },
  }),
  replies('status-202-for-request', 'accepts the call and never answers it', /202|no answer|accept/iu, 1, {
    status: 202,
  }),
  replies('status-200-empty', 'answers with nothing at all', /empty|JSON|answer/iu, 1, {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
  }),
  raws('status-204', 'answers that there is nothing to say', /204/u, toHead(204, {}, 'No Content')),
  raws(
    'status-101',
    'changes the protocol though nobody asked',
    /101|protocol|upgrade/iu,
    toHead(101, { Connection: 'Upgrade', Upgrade: 'websocket' }, 'Switching Protocols'),
  ),
  raws(
    'status-799',
    'answers with a status that nobody knows',
    /799/u,
    toHead(799, { 'Content-Length': '0' }, 'Strange'),
  ),
  raws(
    'status-reason-evil',
    'says why in escape sequences',
    /500|HTTP|response/iu,
    toHead(500, { 'Content-Length': '0' }, '\u001b[2J\u009b31m\u001b]0;owned\u0007'),
  ),
  hints(
    'status-100',
    'says "continue" before its answer, though nobody asked',
    ends(/100|HTTP|response/iu),
    'HTTP/1.1 100 Continue\r\n\r\n',
  ),
  hints(
    'status-103',
    'gives two hints before its answer (legal)',
    answers(),
    'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'.repeat(2),
  ),
  httpAttack(
    'status-103-flood',
    'gives hints for ever and never an answer',
    called(fails(/hint|103|1xx|headers|within|timed? ?out/iu, 'by the deadline')),
    async ({ raw }) => {
      while (await raw('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'.repeat(20))) await sleep(2);
    },
  ),
];

/** Refuses every call with 403, and demands another scope each time. */
export function growingScopes(): HttpHandler {
  let asked = 0;
  return ({ reply }) =>
    reply({
      status: 403,
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="level-${asked++}"` },
    });
}

/** The first call finds its session lost and does not run. A host that initializes again gets an answer. */
function loses(name: string, summary: string, loss: (turn: { readonly id: unknown }) => Reply): HttpMode {
  const expect = called(answers('in time'), { counts: [exactly('initialize', 2), exactly('tools/call attack', 2)] });
  return httpMode(name, summary, expect, () => {
    let isLost = false;
    const attack: HttpHandler = ({ id, reply, json }) => {
      if (isLost) return json(answer(id));
      isLost = true;
      return reply({ headers: { 'Content-Type': 'application/json' }, ...loss({ id }) });
    };
    return { attack };
  });
}

function connects(name: string, summary: string, text: RegExp, said: Reply): HttpMode {
  return httpMode(
    name,
    summary, // one attempt in each era, no more
    refused(text, 'in time', [most('server/discover', 1), most('initialize', 1)]),
    { post: ({ reply }) => reply(said) },
  );
}

function replies(name: string, summary: string, text: RegExp, tries: number, said: Reply): HttpMode {
  const expect = called(fails(text, tries === 1 ? 'at once' : 'in time'), {
    counts: [most('tools/call attack', tries)],
  });
  return httpAttack(name, summary, expect, ({ reply }) => reply(said));
}

function raws(name: string, summary: string, text: RegExp, bytes: string): HttpMode {
  const expect = called(fails(text), { counts: ONCE });
  return httpAttack(name, summary, expect, ({ raw }) => raw(Buffer.from(bytes, 'latin1')));
}

/** Informational responses (1xx) before the answer. */
function hints(name: string, summary: string, call: CallOutcome, bytes: string): HttpMode {
  const attack: HttpHandler = async ({ id, raw, json }) => (await raw(bytes)) && json(answer(id));
  return httpAttack(name, summary, called(call), attack);
}
