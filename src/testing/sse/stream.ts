import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, type Connected, ends, exactly, fails, FORGED, HONEST, TIMED_OUT } from '../expectation.js';
import { chunk, toEvent } from '../http/event-stream.js';
import { flood } from '../attacks/flood.js';
import { answer, notification, request, initializeResult } from '../healthy.js';
import { sseAttack, type SseMode, sseMode } from '../mode.js';
import { describeAnswer, thenAnswer } from '../describe-answer.js';
import { dribble, MB, pour } from '../write.js';
import type { SseHandler } from './sse-turn.js';

const LOST = /ended|closed|cut|reset|lost|broke off|stream/iu;
const LARGE = /large|limit|MB|bytes|many|more than|within|timed? ?out/iu;

/** Attacks on the one stream that carries the answers to all calls. */
export const sseStream: readonly SseMode[] = [
  streams('stream-cut', 'closes the stream inside an event', lost(), async ({ id, events, get }) => {
    await events.text(`data: ${answer(id, FORGED).slice(0, 40)}`);
    get.hangUp();
  }),
  streams('stream-reset', 'resets the stream inside an event', lost(), async ({ id, events, get }) => {
    await events.text(`data: ${answer(id, FORGED).slice(0, 40)}`);
    await sleep(20); // a reset would overtake bytes that are still in flight
    get.reset();
  }),
  streams('stream-ended', 'ends the stream without an answer', lost(), ({ events }) => events.end()),
  streams('stream-bad-chunk', 'gives a chunk a size that is no number', lost(), ({ get }) => get.raw('zz\r\nx\r\n')),
  streams('stream-resumable', 'ends the stream behind an id, to be taken up again', lost(), async ({ events }) => {
    await events.text('id: 1\nretry: 0\ndata:\n\n');
    await events.end();
  }),
  streams(
    'stream-ended-behind',
    'ends the stream right behind its answer',
    called(answers(), { next: 'lost' }),
    async ({ id, events }) => {
      await events.event(answer(id));
      await events.end();
    },
  ),
  streams('half-event', 'sends half of its answer and falls silent', deadline('unanswered'), ({ id, events }) =>
    events.text(`data: ${answer(id, FORGED).slice(0, 40)}`),
  ),
  streams('no-blank', 'sends its answer without the blank line behind it', deadline('unanswered'), ({ id, events }) =>
    events.text(`data: ${answer(id, FORGED)}\n`),
  ),
  streams('comment-drip', 'sends comments and never answers', deadline(), async ({ events }) => {
    while (await events.text(': still here\n\n')) await sleep(20);
  }),
  streams('comment-flood', 'sends comments as fast as it can', by(), ({ events }) =>
    pour(events.text, ': still here\n', 256 * MB),
  ),
  streams('event-flood', 'sends events of a name that nobody knows as fast as it can', by(), ({ events }) =>
    pour(events.text, toEvent('x', { event: 'tick' }), 16 * MB),
  ),
  streams('garbage-flood', 'sends events that are no JSON as fast as it can', by(), ({ events }) =>
    pour(events.text, toEvent('Debug: loading...'), MB / 2),
  ),
  streams('endless-field', 'begins the name of a field and never ends it', by('unanswered'), ({ events }) =>
    pour(events.text, 'field', Infinity),
  ),
  late('huge-event', 'sends an event of 64 MB that is no answer, and answers then', kept(), async ({ events }) => {
    await events.text('data: ');
    await pour(events.text, 'x', 64 * MB);
    await events.text('\n\n');
  }),
  late('noise-100kb', 'sends 100 KB of words as an event, and answers then', kept(), async ({ events }) => {
    await events.text('data: ');
    await pour(events.text, 'still loading the model, ', 100_000);
    await events.text('\n\n');
  }),
  late('huge-note', 'sends a notification of 17 MB, and answers then', kept(), async ({ events }) => {
    await events.text('data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"');
    await pour(events.text, 'x', 17 * MB);
    await events.text('"}}\n\n');
  }),
  late('huge-lines', 'sends an event of a million lines, and answers then', kept(), async ({ events }) => {
    await pour(events.text, 'data: x\n', 8 * MB);
    await events.text('\n');
  }),
  streams('content-20mb', 'answers with 20 MB of text', called(ends(LARGE, 'in time')), async ({ id, events }) => {
    await events.text(`data: ${answer(id, `${HONEST} `).slice(0, -5)}`);
    await pour(events.text, 'All work and no play. ', 20 * MB);
    await events.text('"}]}}\n\n');
  }),
  streams(
    'deep',
    'nests 1,000,000 arrays',
    called(fails(/deep|depth|nest|level/iu, 'in time')),
    async ({ id, events }) => {
      await events.text(
        `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":`,
      );
      await pour(events.text, '[', 1_000_000);
      await pour(events.text, ']', 1_000_000);
      await events.text('}}\n\n');
    },
  ),
  streams('dup', 'answers twice', called(answers()), async ({ id, say }) => {
    await say(answer(id));
    await say(answer(id, FORGED));
  }),
  late('spoof-future', 'answers the next 1,000 ids before anybody asks', called(answers()), ({ id, say }) =>
    flood(say, 1000, (step) => answer(Number(id) + step + 1, FORGED)),
  ),
  streams('other-event', 'forges the answer in an event of another name', called(answers()), async ({ id, events }) => {
    for (const event of ['ping', 'endpoint', 'Message', 'error']) await events.event(answer(id, FORGED), { event });
    await events.event(answer(id), { event: 'message' });
  }),
  late('not-json', 'sends events that are no JSON before its answer', called(answers()), ({ say }) =>
    say('hello', '{', '42', '[]', 'null', '[[]]', ''),
  ),
  streams('cr-only', 'ends its lines with CR alone (legal)', called(answers()), ({ id, events }) =>
    events.text(`: hello\revent: message\rdata: ${answer(id)}\r\r`),
  ),
  streams('crlf-cut', 'ends its lines with CR LF, cut between the two (legal)', called(answers()), async (turn) => {
    for (const part of [`data: ${answer(turn.id)}\r`, '\n\r', '\n']) await turn.events.text(part);
  }),
  streams('many-lines', 'spreads its answer over many lines of data (legal)', called(answers()), ({ id, events }) =>
    events.text(
      `id\nunknown: field\n${JSON.stringify(JSON.parse(answer(id)), undefined, 1).replaceAll(/^/gmu, 'data: ')}\n\n`,
    ),
  ),
  streams(
    'byte-chunks',
    'answers in chunks of one byte (legal)',
    called(answers('in time', /^survived £€😀$/u)),
    (turn) => dribble(turn.events.text, toEvent(answer(turn.id, `${HONEST} £€😀`))),
  ),
  late('retry-storm', 'says 5,000 times when to come back', once('in time'), async ({ events }) => {
    for (let part = 0; part < 5; part++) await events.text(`retry: ${part}\nid: ${part}\n\n`.repeat(1000));
  }),
  late('id-inject', 'gives an event id with CR, LF and NUL, and 1 MB of one', once(), ({ events }) =>
    events.text(`id: 1\rX-Evil: yes\ndata:\n\nid: 2\0\n\nid: ${'x'.repeat(MB)}\n\n`),
  ),
  streams('sampling', 'asks for a sample', called(answers('in time', /^error -32601$/u)), (turn) =>
    describeAnswer(turn, request('r', 'sampling/createMessage', { messages: [], maxTokens: 1 })),
  ),
  streams('ping', 'pings the host, and waits for it (legal)', called(answers('in time', /^answer \{\}$/u)), (turn) =>
    describeAnswer(turn, request('r', 'ping')),
  ),
  floods('ping-flood', 'pings the host 5,000 times', (index) => request(`ping-${index}`, 'ping')),
  floods('progress-flood', 'reports progress 5,000 times', () =>
    notification('notifications/progress', { progressToken: 'x', progress: 1 }),
  ),
  floods('note-flood', 'sends 5,000 notifications', () =>
    notification('notifications/message', { level: 'info', data: 'x' }),
  ),
  floods('unknown-ids', 'answers 5,000 calls that nobody made', (index) => answer(`unknown-${index}`, FORGED)),
  sseMode(
    'sse-legacy-ping-flood-deaf',
    'pings the host 5,000 times and never takes an answer',
    called(answers('in time')),
    { reply: () => undefined, attack: flooding((index) => request(`ping-${index}`, 'ping')) },
  ),
  sseMode('sse-legacy-gzip', 'packs its stream, a piece at a time (legal)', called(answers()), { isPacked: true }),
  sseMode('sse-legacy-gzip-bomb', 'answers with a few KB that inflate to 300 MB', called(ends(LARGE, 'in time')), {
    isPacked: true,
    async attack({ id, events, get }) {
      await events.text(`data: ${answer(id, HONEST).slice(0, -5)}`);
      const { gzipSync } = await import('node:zlib');
      const bomb = chunk(gzipSync(Buffer.alloc(MB, 'x')));
      for (let part = 0; part < 300; part++) if (!(await get.raw(bomb))) return;
      await events.text('"}]}}\n\n');
    },
  }),
  sseAttack(
    'sse-legacy-never',
    'never answers the call',
    called(fails(TIMED_OUT, 'at the deadline'), { counts: [exactly('notifications/cancelled', 1)] }),
    () => undefined,
  ),
  sseMode('sse-legacy-init-flood', 'sends 5,000 notifications before it answers the handshake', called(answers()), {
    async initialize(turn) {
      await flood(turn.say, 5_000, () => notification('notifications/tools/list_changed'));
      await turn.say(initializeResult(turn));
    },
  }),
];

function streams(name: string, summary: string, expect: Connected, attack: SseHandler): SseMode {
  return sseAttack(`sse-legacy-${name}`, summary, expect, attack);
}

/** The stream is the connection: calls in flight fail at once, and nothing is sent again. */
function lost(): Connected {
  return called(fails(LOST), { next: 'lost', counts: [exactly('GET', 1)] });
}

function deadline(next: Connected['next'] = 'ok'): Connected {
  return called(fails(TIMED_OUT, 'at the deadline'), { next });
}

/** The call fails because of a limit, or at its deadline. */
function by(next: Connected['next'] = 'ok'): Connected {
  return called(fails(LARGE, 'by the deadline'), { next });
}

/** The event answers no call, so neither the call nor the stream fails because of it. */
function kept(): Connected {
  return called(answers('in time'), { counts: [exactly('GET', 1)] });
}

function once(when: 'at once' | 'in time' = 'at once'): Connected {
  return called(answers(when), { counts: [exactly('GET', 1), exactly('with event id', 0)] });
}

/** Runs `before`, then answers the call. */
function late(name: string, summary: string, expect: Connected, before: SseHandler): SseMode {
  return streams(name, summary, expect, thenAnswer(before));
}

function floods(name: string, summary: string, line: (index: number) => string): SseMode {
  return streams(name, summary, called(answers('in time')), flooding(line));
}

function flooding(line: (index: number) => string): SseHandler {
  return thenAnswer(({ say }) => flood(say, 5_000, line));
}
