import { setTimeout as sleep } from 'node:timers/promises';
import {
  answers,
  called,
  type CallOutcome,
  type Connected,
  ends,
  exactly,
  fails,
  FORGED,
  most,
  TIMED_OUT,
} from '../expectation.js';
import { answer, failure } from '../healthy.js';
import type { HttpHandler, Reply } from '../http/http-turn.js';
import { type SseMode, sseMode } from '../mode.js';
import { streamed, streaming } from '../attacks/streaming.js';
import { MB, pour } from '../write.js';
import type { SseHandler } from './sse-turn.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const silent: SseHandler = () => undefined;

/** Messages that are refused, lost or answered in the wrong place. The host never repeats the call. */
export const ssePosts: readonly SseMode[] = [
  refuses('post-404', 'does not know the place for messages any more', /404/u, { status: 404 }),
  refuses('post-401', 'wants somebody to sign in for the call', /401|sign/iu, { status: 401 }),
  refuses('post-413', 'takes no message of this size', /413/u, { status: 413 }),
  refuses('post-429', 'says 429, to be asked again at once', /429|many/iu, {
    status: 429,
    headers: { 'Retry-After': '0' },
  }),
  refuses('post-500', 'fails with a web page of 2 MB', /500/u, {
    status: 500,
    headers: { 'Content-Type': 'text/html' },
    body: '<script>alert(1)</script>\u001b[2J'.repeat(70_000),
  }),
  posts('post-redirect', 'sends the message to another origin', failing(/redirect|307|origin/iu), (turn) =>
    turn.reply({ status: 307, headers: { Location: turn.trap } }),
  ),
  posts(
    'post-redirect-loop',
    'sends the message in a circle',
    called(fails(/redirect|307/iu), { counts: [most('tools/call attack', 6)] }),
    (turn) => turn.reply({ status: 307, headers: { Location: turn.incoming.path } }),
  ),
  posts('post-token', 'repeats the token in its refusal', failing(/500/u), ({ incoming, reply }) =>
    reply({
      status: 500,
      headers: { 'Content-Type': 'text/plain' },
      body: `Authorization: ${incoming.headers['authorization'] ?? ''}`,
    }),
  ),
  posts('post-reset', 'resets the connection of the message', failing(/closed|reset|socket|ended/iu), ({ reset }) =>
    reset(),
  ),
  posts('post-hang-up', 'closes the connection of the message', failing(/closed|reset|socket|ended/iu), ({ hangUp }) =>
    hangUp(),
  ),
  posts('post-hang', 'never says whether it took the message', failing(TIMED_OUT, 'at the deadline'), () => undefined),
  posts('post-200-html', 'takes the message with a web page, and never answers', late(), ({ reply }) =>
    reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
  ),
  posts('post-200-ok', 'takes the message with {"ok":true}, and never answers', late(), ({ json }) =>
    json('{"ok":true}'),
  ),
  posts('post-200-wrong-id', 'answers somebody else in the response to the message', late(), ({ json }) =>
    json(answer('another', FORGED)),
  ),
  posts(
    'post-200-flood',
    'takes the message with a body that never ends',
    called(fails(/within|timed? ?out|large|limit|MB/iu, 'by the deadline'), { counts: once() }),
    streaming(({ events }) => pour(events.text, 'x', Infinity), JSON_TYPE),
  ),
  posts(
    'post-200-17mb',
    'answers with 17 MB in the response to the message',
    called(ends(/large|limit|MB/iu, 'in time'), { counts: once() }),
    streamed(async ({ id, events: { text } }) => {
      await text(answer(id).slice(0, -5));
      await pour(text, 'x', 17 * MB);
      await text(answer(id).slice(-5));
    }, JSON_TYPE),
  ),
  posts('post-200-answer', 'answers in the response to the message (some do)', answering(), ({ id, json }) =>
    json(answer(id)),
  ),
  posts('post-200-error', 'answers with an error in the response to the message', failing(/no luck/u), ({ id, json }) =>
    json(failure(id, -32000, 'no luck')),
  ),
  sseMode('sse-legacy-answer-first', 'answers before it has taken the message (legal)', answering(), {
    post: () => undefined,
    async attack({ id, events, post }) {
      await events.event(answer(id));
      await sleep(50);
      await post.reply({ status: 202 });
    },
  }),
  sseMode('sse-legacy-answer-only', 'answers and never says that it has taken the message', answering(), {
    post: () => undefined,
    attack: ({ id, events }) => events.event(answer(id)),
  }),
  sseMode('sse-legacy-answer-and-500', 'answers, and says then that it could not', answering(), {
    post: () => undefined,
    async attack({ id, events, post }) {
      await events.event(answer(id));
      await sleep(20);
      await post.reply({ status: 500 });
    },
  }),
];

function once(): Connected['counts'] {
  return [exactly('tools/call attack', 1), exactly('GET', 1), exactly('initialize', 1)];
}

function answering(): Connected {
  return called(answers(), { counts: once() });
}

function late(): Connected {
  return failing(TIMED_OUT, 'at the deadline');
}

function failing(text: RegExp, when: 'at once' | 'at the deadline' = 'at once'): Connected {
  const call: CallOutcome = fails(text, when);
  return called(call, { counts: once() });
}

function refuses(name: string, summary: string, text: RegExp, reply: Reply): SseMode {
  return posts(name, summary, failing(text), (turn) => turn.reply(reply));
}

function posts(name: string, summary: string, expect: Connected, post: HttpHandler): SseMode {
  return sseMode(`sse-legacy-${name}`, summary, expect, { post, attack: silent });
}
