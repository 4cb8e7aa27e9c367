import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, ends, fails, FORGED, HONEST, refused, TIMED_OUT, untried } from './expectation.js';
import { answer, healthyAnswer, note, welcome } from './healthy.js';
import type { StdioMode } from './mode.js';
import type { StdioTurn } from './stdio-turn.js';
import { MB, pour } from './write.js';

const channel = 'stdio';
const LOG_LINE = `2026-11-15 12:00:00 INFO ${'still loading the model, '.repeat(20)}\n`;
const BOM = '\ufeff';
const LARGE = /large|limit|MB|bytes|not end/iu;

/** Lines of stdout that are no messages, or messages that are no lines. */
export const jsonLines: readonly StdioMode[] = [
  {
    name: 'json-garbage-line',
    channel,
    summary: 'prints log lines on stdout before its answer',
    expect: called(answers()),
    behave: () => ({ attack: ({ id, say }) => say('Debug: loading...', '{"level":"info"}', '{oops', answer(id)) }),
  },
  {
    name: 'json-scalar',
    channel,
    summary: 'sends null, 42, "x", true and [] as messages before its answer',
    expect: called(answers()),
    behave: () => ({ attack: ({ id, say }) => say('null', '42', '"x"', 'true', '[]', '[[]]', '[null]', answer(id)) }),
  },
  {
    name: 'json-bom',
    channel,
    summary: 'begins its output with a byte order mark',
    expect: called(answers()),
    behave: () => ({ first: (turn) => turn.say(BOM + healthyAnswer(turn, () => ({}))) }),
  },
  {
    name: 'json-crlf',
    channel,
    summary: 'ends its lines with CR LF (legal)',
    expect: called(answers()),
    behave: () => ({
      first: (turn) => turn.send(`${healthyAnswer(turn, () => ({}))}\r\n`),
      initialize: (turn) => turn.send(`${welcome(turn)}\r\n`),
      attack: ({ id, send }) => send(`${answer(id)}\r\n`),
    }),
  },
  {
    name: 'json-cr-only',
    channel,
    summary: 'ends the line of its answer with CR alone, so that the next one is glued to it',
    expect: called(fails(TIMED_OUT, 'at the deadline'), { next: 'unanswered' }),
    behave: () => ({ attack: ({ id, send }) => send(`${answer(id, FORGED)}\r`) }),
  },
  {
    name: 'json-embedded-newlines',
    channel,
    summary: 'prints its answer over many lines',
    expect: called(fails(/line|JSON|stdout/iu, 'by the deadline')),
    behave: () => ({ attack: ({ id, say }) => say(JSON.stringify(JSON.parse(answer(id)), undefined, 2)) }),
  },
  {
    name: 'json-blank-lines',
    channel,
    summary: 'sends 10,000 blank lines before its answer',
    expect: called(answers('in time')),
    behave: () => ({ attack: ({ id, send }) => send(`${'\n \t\r\n'.repeat(5000)}${answer(id)}\n`) }),
  },
  {
    name: 'json-nul-padding',
    channel,
    summary: 'puts NUL bytes before its answer',
    expect: called(ends(/JSON|within|timed? ?out/iu, 'by the deadline')),
    behave: () => ({ attack: ({ id, say }) => say(`\0\0\0\0${answer(id)}`) }),
  },
  {
    name: 'json-utf16',
    channel,
    summary: 'answers in UTF-16',
    expect: called(fails(/UTF|JSON|line|within|timed? ?out/iu, 'by the deadline')),
    behave: () => ({
      attack: async ({ id, send }) => (await send(Buffer.from(`${answer(id, FORGED)}\n`, 'utf16le'))) && send('\n'),
    }),
  },
  {
    name: 'json-split-characters',
    channel,
    summary: 'cuts its writes inside of characters (legal)',
    expect: called(answers('at once', /^survived £€😀$/u)),
    behave: () => ({
      async attack({ id, send }) {
        for (const byte of Buffer.from(`${answer(id, `${HONEST} £€😀`)}\n`)) {
          await send(Uint8Array.of(byte));
          await new Promise(setImmediate);
        }
      },
    }),
  },
  {
    name: 'json-10000-writes',
    channel,
    summary: 'sends its answer of 200 KB in 10,000 writes (legal)',
    expect: called(answers('in time')),
    behave: () => ({
      async attack({ id, send }) {
        const bytes = Buffer.from(`${answer(id, HONEST + 'x'.repeat(200_000))}\n`);
        for (let from = 0; from < bytes.length; from += 20) {
          if (!(await send(bytes.subarray(from, from + 20)))) return;
          if (from % 2000 === 0) await new Promise(setImmediate);
        }
      },
    }),
  },
  {
    name: 'json-last-line',
    channel,
    summary: 'answers without a newline and exits',
    expect: called(ends(/exit|closed|ended/iu), { next: 'lost' }),
    behave: () => ({
      async attack({ id, send, streams }) {
        await send(answer(id));
        streams.stdout.write('', () => process.exit(0));
      },
    }),
  },
  {
    name: 'json-deep-4m',
    channel,
    summary: 'nests 4,000,000 arrays in 8 MB',
    expect: called(fails(/deep|depth|nest|level/iu, 'in time')),
    behave: () => ({
      async attack({ id, send }) {
        await send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":`);
        await pour(send, '[', 4_000_000);
        await pour(send, ']', 4_000_000);
        await send('}}\n');
      },
    }),
  },
  {
    name: 'json-huge-note',
    channel,
    summary: 'sends a notification of 17 MB before its answer',
    expect: called(answers('in time')),
    behave: () => ({
      async attack({ id, send, say }) {
        await send('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"');
        await pour(send, 'x', 17 * MB);
        await send('"}}\n');
        await say(answer(id));
      },
    }),
  },
  {
    name: 'json-noise-8mb',
    channel,
    summary: 'prints 8 MB of log lines before its answer',
    expect: called(answers('in time')),
    behave: () => ({
      async attack({ id, send, say }) {
        await pour(send, LOG_LINE, 8 * MB);
        await say(answer(id));
      },
    }),
  },
  {
    name: 'json-noise-flood',
    channel,
    summary: 'prints log lines on stdout for ever',
    expect: called(fails(/stdout|noise|flood|limit|MB/iu, 'in time'), { next: 'lost' }),
    behave: () => ({
      attack: ({ send }) => pour(send, LOG_LINE, Infinity),
    }),
  },
  {
    name: 'json-endless-line',
    channel,
    summary: 'begins a text in its answer and never ends it',
    expect: called(fails(LARGE, 'in time'), { next: 'lost' }),
    behave: () => ({
      async attack({ id, send }) {
        await send(answer(id, HONEST).slice(0, -5));
        await pour(send, 'and on ', Infinity);
      },
    }),
  },
  {
    name: 'json-endless-note',
    channel,
    summary: 'begins a notification and never ends it',
    expect: called(fails(LARGE, 'in time'), { next: 'lost' }),
    behave: () => ({
      async attack({ send }) {
        await send(note('notifications/message', { level: 'info', data: HONEST }).slice(0, -3));
        await pour(send, 'and on ', Infinity);
      },
    }),
  },
  {
    name: 'json-endless-handshake',
    channel,
    summary: 'sends a byte of the handshake every 20 ms, and never the last',
    expect: refused(TIMED_OUT, 'at the deadline'),
    behave: () => ({
      async initialize(turn) {
        const bytes = Buffer.from(welcome(turn, { instructions: 'x'.repeat(100_000) }));
        for (const byte of bytes) {
          if (!(await turn.send(Uint8Array.of(byte)))) return;
          await sleep(20);
        }
      },
    }),
  },
  {
    name: 'json-framed',
    channel,
    summary: 'puts Content-Length headers before its messages, as language servers do',
    expect: refused(/Content-Length/u),
    behave: () => ({
      async first({ send }) {
        const hello = note('window/logMessage', { type: 3, message: 'hello' });
        for (let count = 0; count < 2; count++) await sendFramed(send, hello);
      },
    }),
  },
  {
    name: 'json-list-17mb',
    channel,
    summary: 'lists its tools in 17 MB',
    expect: called(untried, { list: fails(LARGE, 'in time') }),
    behave: () => ({
      async list({ id, send }) {
        await send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[{"name":"large","description":"`);
        await pour(send, 'x', 17 * MB);
        await send('","inputSchema":{"type":"object"}}]}}\n');
      },
    }),
  },
];

/** Language servers end a message by its length, and not by a line. */
function sendFramed(send: StdioTurn['send'], text: string): Promise<boolean> {
  return send(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
