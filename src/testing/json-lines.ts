import { answers, called, ends, fails, FORGED, HONEST, refused, TIMED_OUT, untried } from './expectation.js';
import { answer, healthyAnswer, notification, initializeResult } from './healthy.js';
import { stdioAttack, type StdioMode, stdioMode } from './mode.js';
import type { StdioTurn } from './stdio-turn.js';
import { stdioLate } from './describe-answer.js';
import { dribble, MB, pour } from './write.js';

const LOG_LINE = `2026-11-15 12:00:00 INFO ${'still loading the model, '.repeat(20)}\n`;
const BOM = '\ufeff';
const LARGE = /large|limit|MB|bytes|not end/iu;

/** Lines on stdout that are not messages, and messages that are not one line. */
export const jsonLines: readonly StdioMode[] = [
  stdioAttack('json-garbage-line', 'prints log lines on stdout before its answer', called(answers()), ({ id, say }) =>
    say('Debug: loading...', '{"level":"info"}', '{oops', answer(id)),
  ),
  stdioAttack(
    'json-scalar',
    'sends null, 42, "x", true and [] as messages before its answer',
    called(answers()),
    ({ id, say }) => say('null', '42', '"x"', 'true', '[]', '[[]]', '[null]', answer(id)),
  ),
  stdioMode('json-bom', 'begins its output with a byte order mark', called(answers()), {
    first: (turn) => turn.say(BOM + healthyAnswer(turn, () => ({}))),
  }),
  stdioMode('json-crlf', 'ends its lines with CR LF (legal)', called(answers()), {
    first: (turn) => turn.send(`${healthyAnswer(turn, () => ({}))}\r\n`),
    initialize: (turn) => turn.send(`${initializeResult(turn)}\r\n`),
    attack: ({ id, send }) => send(`${answer(id)}\r\n`),
  }),
  stdioAttack(
    'json-cr-only',
    'ends the line of its answer with CR alone, so that the next one is glued to it',
    called(fails(TIMED_OUT, 'at the deadline'), { next: 'unanswered' }),
    ({ id, send }) => send(`${answer(id, FORGED)}\r`),
  ),
  stdioAttack(
    'json-embedded-newlines',
    'prints its answer over many lines',
    called(fails(/line|JSON|stdout/iu, 'by the deadline')),
    ({ id, say }) => say(JSON.stringify(JSON.parse(answer(id)), undefined, 2)),
  ),
  stdioLate('json-blank-lines', 'sends 10,000 blank lines before its answer', ({ send }) =>
    send('\n \t\r\n'.repeat(5000)),
  ),
  stdioAttack(
    'json-nul-padding',
    'puts NUL bytes before its answer',
    called(ends(/JSON|within|timed? ?out/iu, 'by the deadline')),
    ({ id, say }) => say(`\0\0\0\0${answer(id)}`),
  ),
  stdioAttack(
    'json-utf16',
    'answers in UTF-16',
    called(fails(/UTF|JSON|line|within|timed? ?out/iu, 'by the deadline')),
    async ({ id, send }) => (await send(Buffer.from(`${answer(id, FORGED)}\n`, 'utf16le'))) && send('\n'),
  ),
  stdioAttack(
    'json-split-characters',
    'cuts its writes inside of characters (legal)',
    called(answers('at once', /^survived £€😀$/u)),
    ({ id, send }) => dribble(send, `${answer(id, `${HONEST} £€😀`)}\n`),
  ),
  stdioAttack(
    'json-10000-writes',
    'sends its answer of 200 KB in 10,000 writes (legal)',
    called(answers('in time')),
    async ({ id, send }) => {
      const bytes = Buffer.from(`${answer(id, HONEST + 'x'.repeat(200_000))}\n`);
      for (let from = 0; from < bytes.length; from += 20) {
        if (!(await send(bytes.subarray(from, from + 20)))) return;
        if (from % 2000 === 0) await new Promise(setImmediate);
      }
    },
  ),
  stdioAttack(
    'json-last-line',
    'answers without a newline and exits',
    called(ends(/exit|closed|ended/iu), { next: 'lost' }),
    async ({ id, send, streams }) => {
      await send(answer(id));
      streams.stdout.write('', () => process.exit(0));
    },
  ),
  stdioAttack(
    'json-deep-4m',
    'nests 4,000,000 arrays in 8 MB',
    called(fails(/deep|depth|nest|level/iu, 'in time')),
    async ({ id, send }) => {
      await send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":`);
      await pour(send, '[', 4_000_000);
      await pour(send, ']', 4_000_000);
      await send('}}\n');
    },
  ),
  stdioLate('json-huge-note', 'sends a notification of 17 MB before its answer', async ({ send }) => {
    await send('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"');
    await pour(send, 'x', 17 * MB);
    await send('"}}\n');
  }),
  stdioLate('json-noise-8mb', 'prints 8 MB of log lines before its answer', ({ send }) => pour(send, LOG_LINE, 8 * MB)),
  stdioAttack(
    'json-noise-flood',
    'prints log lines on stdout for ever',
    called(fails(/stdout|noise|flood|limit|MB/iu, 'in time'), { next: 'lost' }),
    ({ send }) => pour(send, LOG_LINE, Infinity),
  ),
  stdioAttack(
    'json-endless-line',
    'begins a text in its answer and never ends it',
    called(fails(LARGE, 'in time'), { next: 'lost' }),
    async ({ id, send }) => {
      await send(answer(id, HONEST).slice(0, -5));
      await pour(send, 'and on ', Infinity);
    },
  ),
  stdioAttack(
    'json-endless-note',
    'begins a notification and never ends it',
    called(fails(LARGE, 'in time'), { next: 'lost' }),
    async ({ send }) => {
      await send(notification('notifications/message', { level: 'info', data: HONEST }).slice(0, -3));
      await pour(send, 'and on ', Infinity);
    },
  ),
  stdioMode(
    'json-endless-handshake',
    'sends a byte of the handshake every 20 ms, and never the last',
    refused(TIMED_OUT, 'at the deadline'),
    {
      initialize: (turn) => dribble(turn.send, initializeResult(turn, { instructions: 'x'.repeat(100_000) }), 20),
    },
  ),
  stdioMode(
    'json-framed',
    'puts Content-Length headers before its messages, as language servers do',
    refused(/Content-Length/u),
    {
      async first({ send }) {
        const hello = notification('window/logMessage', { type: 3, message: 'hello' });
        for (let count = 0; count < 2; count++) await sendFramed(send, hello);
      },
    },
  ),
  stdioMode('json-list-17mb', 'lists its tools in 17 MB', called(untried, { list: fails(LARGE, 'in time') }), {
    async list({ id, send }) {
      await send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[{"name":"large","description":"`);
      await pour(send, 'x', 17 * MB);
      await send('","inputSchema":{"type":"object"}}]}}\n');
    },
  }),
];

/** Language servers frame a message by its length, not by a newline. */
function sendFramed(send: StdioTurn['send'], text: string): Promise<boolean> {
  return send(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
