import { called, fails } from '../expectation.js';
import { httpAttack, type Mode, sseAttack, stdioAttack, wsAttack } from '../mode.js';
import { streaming } from './streaming.js';
import { MB, pour } from '../write.js';
import { OPCODE, toFrame } from '../ws/frame.js';

const ENDS = /large|limit|MB|bytes|many|long|not end|not a|no JSON|deep|within|timed? ?out|cut off/iu;

/** More than the memory that a host may grow by (64 MB), and still sent quickly. */
const BYTES = 128 * MB;

/** A host may fail the call early or at the deadline, but must not keep the whole message in memory. */
const shared = called(fails(ENDS, 'by the deadline'), { next: 'unanswered' });

/** Messages that never end, each inside a part that a parser has to read to its end. */
export const endless: readonly Mode[] = [
  ...begins('method', 'begins the name of a method and does not end it in 128 MB', () => '{"jsonrpc":"2.0","method":"'),
  ...begins('key', 'begins a key of its answer and does not end it in 128 MB', (id) => `${head(id)},"result":{"`),
  // All channels parse these parts with the same reader, so one channel is enough.
  ...begins('id', 'begins a text as its id and does not end it in 128 MB', () => `${RESULT},"id":"`).slice(0, 1),
  ...begins('number', 'begins a number as its id and does not end it in 128 MB', () => `${RESULT},"id":1`, '1').slice(
    0,
    1,
  ),
  ...begins(
    'escapes',
    'begins an error message in escapes and does not end it in 128 MB',
    (id) => `${head(id)},"error":{"code":1,"message":"`,
    '\\u00e9\\n\\"',
  ).slice(0, 1),
  ...begins(
    'list',
    'begins a list of empty lists and does not end it in 128 MB',
    (id) => `${head(id)},"result":{"content":[[]`,
    ',[]',
  ),
  ...begins(
    'blanks',
    'puts blanks between two values and does not stop for 128 MB',
    (id) => `${head(id)},"result":`,
    ' ',
  ).slice(0, 1),
];

const RESULT = '{"jsonrpc":"2.0","result":{"content":[]}';

function head(id: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
}

/** One mode per channel: sends `start`, then `unit` again and again. */
function begins(name: string, summary: string, start: (id: unknown) => string, unit = 'x'): readonly Mode[] {
  return [
    stdioAttack(
      `json-endless-${name}`,
      summary,
      shared,
      async ({ id, send }) => (await send(start(id))) && pour(send, unit, BYTES),
    ),
    httpAttack(
      `http-endless-${name}`,
      summary,
      called(fails(ENDS, 'by the deadline')),
      streaming(async ({ id, events }) => (await events.text(start(id))) && pour(events.text, unit, BYTES), {
        'Content-Type': 'application/json',
      }),
    ),
    sseAttack(
      `sse-legacy-endless-${name}`,
      summary,
      shared,
      async ({ id, events }) => (await events.text(`data: ${start(id)}`)) && pour(events.text, unit, BYTES),
    ),
    wsAttack(`ws-endless-${name}`, summary, shared, async ({ id, frame, raw }) => {
      await frame(start(id), { isOpen: true });
      const block = toFrame(unit.repeat(MB / 4), { opcode: OPCODE.continuation, isOpen: true });
      await pour(raw, block, BYTES);
    }),
  ];
}
