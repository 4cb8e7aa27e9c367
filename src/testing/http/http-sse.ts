import { setTimeout as sleep } from 'node:timers/promises';
import {
  answers,
  called,
  type Connected,
  ends,
  exactly,
  fails,
  FORGED,
  HONEST,
  most,
  TIMED_OUT,
} from '../expectation.js';
import { answer, notification, request } from '../healthy.js';
import { flood } from '../attacks/flood.js';
import { type HttpMode, httpMode } from '../mode.js';
import { streamed, streaming, type StreamingTurn } from '../attacks/streaming.js';
import { describeAnswer, thenAnswer } from '../describe-answer.js';
import { dribble, MB, pour } from '../write.js';

const ONCE = [exactly('tools/call attack', 1)];
const UNANSWERED = /answer|stream|closed|ended/iu;
const LARGE = /large|limit|MB|bytes|many|more than/iu;

/** Events that are not an answer, and answers that only a correct SSE parser finds. */
export const httpSse: readonly HttpMode[] = [
  streams('sse-truncated', 'closes the connection inside an event', failing(), async ({ id, events, hangUp }) => {
    await events.text(`data: ${answer(id).slice(0, 40)}`);
    hangUp();
  }),
  streams('sse-reset', 'resets the connection inside an event', failing(), async ({ id, events, reset }) => {
    await events.text(`data: ${answer(id).slice(0, 40)}`);
    await sleep(20); // a reset would overtake bytes that are still in flight
    reset();
  }),
  closes('sse-no-answer', 'ends its events without an answer', failing(), ({ events }) =>
    events.text(': nothing to see\n\n'),
  ),
  closes(
    'sse-no-blank',
    'ends its events before the blank line behind the answer',
    called(ends(UNANSWERED), { counts: ONCE }),
    ({ id, events }) => events.text(`data: ${answer(id)}\n`),
  ),
  streams('sse-huge-event', 'sends an event of 64 MB in one line', large(), async ({ events }) => {
    await events.text('data: ');
    await pour(events.text, 'x', 64 * MB);
    await events.text('\n\n');
  }),
  streams('sse-huge-lines', 'sends an event of 64 MB in lines of one letter', large(), async ({ events }) => {
    await pour(events.text, 'data: x\n', 64 * MB);
    await events.text('\n');
  }),
  streams(
    'sse-endless-line',
    'sends the name of a field and never stops',
    called(fails(/within|timed? ?out|large|limit|MB/iu, 'by the deadline')),
    ({ events }) => pour(events.text, 'data', Infinity),
  ),
  streams(
    'sse-comment-drip',
    'keeps its stream alive with comments and never answers',
    called(fails(TIMED_OUT, 'at the deadline')),
    async ({ events }) => {
      while (await events.text(': still here\n\n')) await sleep(20);
    },
  ),
  streams(
    'sse-comment-flood',
    'sends comments as fast as it can and never answers',
    called(fails(/within|timed? ?out|large|limit|MB/iu, 'by the deadline')),
    ({ events }) => pour(events.text, ': still here\n', Infinity),
  ),
  closes(
    'sse-progress-flood',
    'reports progress 20,000 times before it answers',
    called(answers('in time')),
    thenAnswer(({ say }) =>
      flood(say, 20_000, () => notification('notifications/progress', { progressToken: 'x', progress: 1 })),
    ),
  ),
  closes('sse-wrong-id', 'answers a call that nobody made', failing(), ({ events }) =>
    events.event(answer('another', FORGED)),
  ),
  closes('sse-dup', 'answers twice', called(answers()), async ({ id, say }) => {
    await say(answer(id));
    await say(answer(id, FORGED));
  }),
  closes('sse-not-json', 'sends events that are no JSON before its answer', called(answers()), ({ id, say }) =>
    say('hello', '{', '42', '[]', '', '{"method":"notifications/progress"', 'null', answer(id)),
  ),
  streams(
    'sse-only-broken',
    'sends an answer that is no JSON, and keeps its stream open',
    called(fails(/JSON/u, 'in time'), { counts: ONCE }),
    ({ events }) => events.event(`{"result":{"content":[{"type":"text","text":"${FORGED}"`),
  ),
  streams(
    'sse-broken-flood',
    'sends events that are no JSON and never answers',
    called(fails(/JSON/u, 'in time'), { counts: ONCE }),
    ({ events }) => pour(events.text, 'data: still here\n\n', Infinity),
  ),
  closes(
    'sse-other-event',
    'forges the answer in an event of another type',
    called(answers()),
    async ({ id, events }) => {
      await events.event(answer(id, FORGED), { event: 'ping' });
      await events.event(answer(id), { event: 'message' });
    },
  ),
  streams('sse-open-after', 'keeps its stream open behind the answer', called(answers()), ({ id, events }) =>
    events.event(answer(id)),
  ),
  closes('sse-cr-only', 'ends its lines with CR alone (legal)', called(answers()), ({ id, events }) =>
    events.text(`: hello\revent: message\rdata: ${answer(id)}\r\r`),
  ),
  closes(
    'sse-crlf',
    'ends its lines with CR LF, cut between the two (legal)',
    called(answers()),
    async ({ id, events }) => {
      for (const part of [`data: ${answer(id)}\r`, '\n\r', '\n']) await events.text(part);
    },
  ),
  closes('sse-bom', 'begins with a byte order mark (legal)', called(answers()), ({ id, events }) =>
    events.text(`\ufeffdata:${answer(id)}\n\n`),
  ),
  closes(
    'sse-many-lines',
    'spreads its answer over many lines of data (legal)',
    called(answers()),
    async ({ id, events }) => {
      const text = JSON.stringify(JSON.parse(answer(id)), undefined, 1);
      await events.text(`id\nunknown: field\nretry: soon\n${text.replaceAll(/^/gmu, 'data: ')}\n\n`);
    },
  ),
  closes(
    'sse-byte-chunks',
    'sends its answer in chunks of one byte (legal)',
    called(answers('in time', /^survived £€😀$/u)),
    ({ id, events }) => dribble(events.text, `data: ${answer(id, `${HONEST} £€😀`)}\n\n`),
  ),
  closes(
    'sse-sampling',
    'asks for a sample on the stream of the call',
    called(answers('in time', /^error -32601$/u)),
    (turn) => describeAnswer(turn, request('r', 'sampling/createMessage', { messages: [], maxTokens: 1 })),
  ),
  httpMode(
    'sse-ping-flood-deaf',
    'pings the host 20,000 times on the stream of the call, and never takes an answer',
    called(answers('in time')),
    {
      style: 'sse',
      reply: () => undefined,
      attack: streamed(thenAnswer(({ say }) => flood(say, 20_000, (index) => request(`ping-${index}`, 'ping')))),
    },
  ),
  httpMode(
    'sse-session',
    'names another session on the stream of the call',
    called(answers(), { counts: [most('without session', 0)] }),
    { style: 'sse', attack: streamed(({ id, say }) => say(answer(id)), { 'Mcp-Session-Id': 'another' }) },
  ),
];

type Attack = (turn: StreamingTurn) => unknown;

function streams(name: string, summary: string, expect: Connected, attack: Attack): HttpMode {
  return httpMode(name, summary, expect, { attack: streaming(attack), style: 'sse' });
}

/** Like `streams`, and ends the stream after `attack`. */
function closes(name: string, summary: string, expect: Connected, attack: Attack): HttpMode {
  return httpMode(name, summary, expect, { attack: streamed(attack), style: 'sse' });
}

/** The stream ends without an answer: the call fails at once, and the host does not repeat it. */
function failing(): Connected {
  return called(fails(UNANSWERED), { counts: ONCE });
}

function large(): Connected {
  return called(fails(LARGE, 'in time'), { counts: ONCE });
}
