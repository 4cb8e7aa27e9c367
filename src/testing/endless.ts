import { called, fails } from './expectation.js';
import { httpAttack, type Mode, sseAttack, stdioAttack, wsAttack } from './mode.js';
import { chunk } from './event-stream.js';
import { toHead } from './response-head.js';
import { type Bytes, MB, pour } from './write.js';
import { OPCODE, toFrame } from './ws/frame.js';

const ENDS = /large|limit|MB|bytes|many|long|not end|not a|no JSON|deep|within|timed? ?out|cut off/iu;

interface Endless {
  readonly name: string;
  readonly summary: string;
  readonly start: (id: unknown) => string;
  readonly unit: string;
  /** Its reader is the same everywhere: one channel is enough. */
  readonly isOnce?: boolean;
}

/** More than a host may grow by, and little enough to be sent in no time. */
const BYTES = 128 * MB;

/** Answers that begin somewhere and never come to an end: each in a place that a reader has to keep until it is over. */
const endlessAnswers: readonly Endless[] = [
  {
    name: 'endless-method',
    summary: 'begins the name of a method and does not end it in 128 MB',
    start: () => '{"jsonrpc":"2.0","method":"',
    unit: 'x',
  },
  {
    name: 'endless-key',
    summary: 'begins a key of its answer and does not end it in 128 MB',
    start: (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"`,
    unit: 'x',
  },
  {
    name: 'endless-id',
    summary: 'begins a text as its id and does not end it in 128 MB',
    start: () => '{"jsonrpc":"2.0","result":{"content":[]},"id":"',
    unit: 'x',
    isOnce: true,
  },
  {
    name: 'endless-number',
    summary: 'begins a number as its id and does not end it in 128 MB',
    start: () => '{"jsonrpc":"2.0","result":{"content":[]},"id":1',
    unit: '1',
    isOnce: true,
  },
  {
    name: 'endless-escapes',
    summary: 'begins an error message in escapes and does not end it in 128 MB',
    start: (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":1,"message":"`,
    unit: '\\u00e9\\n\\"',
    isOnce: true,
  },
  {
    name: 'endless-list',
    summary: 'begins a list of empty lists and does not end it in 128 MB',
    start: (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[[]`,
    unit: ',[]',
  },
  {
    name: 'endless-blanks',
    summary: 'puts blanks between two values and does not stop for 128 MB',
    start: (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`,
    unit: ' ',
    isOnce: true,
  },
];

/** Whoever gives up early does well, whoever waits for the deadline does not fill his memory meanwhile. */
const shared = called(fails(ENDS, 'by the deadline'), { next: 'unanswered' });

export const endless: readonly Mode[] = endlessAnswers.flatMap((one) =>
  one.isOnce === true ? onEveryChannel(one).slice(0, 1) : onEveryChannel(one),
);

function onEveryChannel({ name, summary, start, unit }: Endless): Mode[] {
  return [
    stdioAttack(
      `json-${name}`,
      summary,
      shared,
      async ({ id, send }) => (await send(start(id))) && pour(send, unit, BYTES),
    ),
    httpAttack(`http-${name}`, summary, called(fails(ENDS, 'by the deadline')), async ({ id, raw }) => {
      const send = (bytes: Bytes): Promise<boolean> => raw(chunk(bytes));
      await raw(toHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }));
      await send(start(id));
      await pour(send, unit, BYTES);
    }),
    sseAttack(
      `sse-legacy-${name}`,
      summary,
      shared,
      async ({ id, events }) => (await events.text(`data: ${start(id)}`)) && pour(events.text, unit, BYTES),
    ),
    wsAttack(`ws-${name}`, summary, shared, async ({ id, frame, raw }) => {
      await frame(start(id), { isOpen: true });
      const block = toFrame(unit.repeat(MB / 4), { opcode: OPCODE.continuation, isOpen: true });
      await pour(raw, block, BYTES);
    }),
  ];
}
