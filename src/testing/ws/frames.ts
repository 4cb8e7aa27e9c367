import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, type Connected, fails, FORGED, HONEST, TIMED_OUT } from '../expectation.js';
import { answer } from '../healthy.js';
import { wsAttack, type WsMode, wsMode } from '../mode.js';
import { dribble, pour } from '../write.js';
import { closePayload, OPCODE, toFrame, toFrameHead } from './frame.js';
import type { WsHandler } from './ws-turn.js';

const { continuation, text, binary, close, ping, pong } = OPCODE;
const LOST = /cut off|closed|ended|reset/iu;
const EVIL = '\u001b[2J\u202e\u009b31m';
const characters = /^survived £€😀$/u;

/** Frames that no server may send, and legal ones that only look wrong. */
export const wsFrames: readonly WsMode[] = [
  frames('masked', 'masks its answer, as only a client may', broken(), ({ id, frame }) =>
    frame(answer(id, FORGED), { isMasked: true }),
  ),
  ...[1, 2, 4].map((reserved) =>
    frames(`reserved-${reserved}`, `sets the reserved bit ${reserved} of its answer`, broken(), ({ id, frame }) =>
      frame(answer(id, FORGED), { reserved }),
    ),
  ),
  ...[3, 7, 11, 15].map((opcode) =>
    frames(`opcode-${opcode}`, `sends frames of the unknown type ${opcode}`, broken(), ({ frame }) =>
      frame('x', { opcode }),
    ),
  ),
  frames('control-fragment', 'sends a ping in fragments', broken(), ({ frame }) =>
    frame('x', { opcode: ping, isOpen: true }),
  ),
  frames('control-long', 'sends a ping of 126 bytes', broken(), ({ frame }) =>
    frame('x'.repeat(126), { opcode: ping }),
  ),
  frames('control-huge', 'announces a pong of 2^62 bytes', broken(), ({ raw }) =>
    raw(toFrameHead(1n << 62n, { opcode: pong })),
  ),
  frames('continuation-lonely', 'goes on with a message that has no beginning', broken(), ({ id, frame }) =>
    frame(answer(id, FORGED), { opcode: continuation }),
  ),
  frames('start-inside', 'begins a message inside of another', broken(), async ({ id, frame }) => {
    await frame(answer(id, FORGED).slice(0, 20), { isOpen: true });
    await frame(answer(id, FORGED));
  }),
  frames('length-2-62', 'announces an answer of 2^62 bytes', broken(/cut off|large|MB/iu), ({ id, raw }) =>
    raw(Buffer.concat([toFrameHead(1n << 62n), Buffer.from(answer(id, FORGED))])),
  ),
  frames('length-2-63', 'announces an answer of a negative length', broken(/cut off|large|MB/iu), ({ id, raw }) =>
    raw(Buffer.concat([toFrameHead(1n << 63n), Buffer.from(answer(id, FORGED))])),
  ),
  frames(
    'length-short',
    'announces half of its answer, so that the rest is no frame',
    broken(/JSON|cut off/iu),
    ({ id, frame }) => frame(answer(id, FORGED), { length: 40n }),
  ),
  frames('length-long', 'announces more than it sends, and falls silent', silence(), ({ id, frame }) =>
    frame(answer(id, FORGED), { length: 10_000n }),
  ),
  frames('length-wasteful', 'writes a short length in eight bytes', called(answers()), ({ id, raw }) => {
    const bytes = Buffer.from(answer(id));
    const head = Buffer.alloc(10);
    head[0] = 0x81;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(bytes.length), 2);
    return raw(Buffer.concat([head, bytes]));
  }),
  frames('half-head', 'sends half of a frame head and falls silent', silence(), ({ raw }) =>
    raw(Uint8Array.of(0x81, 127, 0, 0)),
  ),
  frames('half-frame', 'sends half of its answer and falls silent', silence(), ({ id, raw }) =>
    raw(toFrame(answer(id, FORGED)).subarray(0, 40)),
  ),
  frames('half-message', 'sends the first fragment of its answer and falls silent', silence(), ({ id, frame }) =>
    frame(answer(id, FORGED), { isOpen: true }),
  ),
  frames(
    'fragments',
    'answers in fragments, with pings between them (legal)',
    called(answers()),
    async ({ id, frame }) => {
      const bytes = Buffer.from(answer(id));
      for (let at = 0; at < bytes.length; at += 10) {
        const isOpen = at + 10 < bytes.length;
        await frame(bytes.subarray(at, at + 10), { opcode: at === 0 ? text : continuation, isOpen });
        if (isOpen) await frame('x', { opcode: ping });
      }
    },
  ),
  frames('byte-writes', 'sends its answer a byte at a time (legal)', called(answers('in time', characters)), (turn) =>
    dribble(turn.raw, toFrame(answer(turn.id, `${HONEST} £€😀`))),
  ),
  frames(
    'split-characters',
    'cuts its fragments inside of characters (legal)',
    called(answers('at once', characters)),
    async (turn) => {
      const bytes = Buffer.from(answer(turn.id, `${HONEST} £€😀`));
      for (const [index, byte] of bytes.entries()) {
        const opcode = index === 0 ? text : continuation;
        await turn.frame(Uint8Array.of(byte), { opcode, isOpen: index < bytes.length - 1 });
      }
    },
  ),
  frames('binary', 'sends its answer as binary', called(answers()), ({ id, frame }) =>
    frame(answer(id), { opcode: binary }),
  ),
  frames('empty', 'sends 1,000 empty messages before its answer', called(answers()), async ({ id, raw, say }) => {
    await raw(Buffer.concat(Array.from({ length: 1000 }, () => toFrame(''))));
    await say(answer(id));
  }),
  frames(
    'fragments-empty',
    'spreads its answer over 1,000,000 empty fragments',
    called(answers('in time')),
    async ({ id, frame, raw }) => {
      await frame(answer(id), { isOpen: true });
      await pour(raw, toFrame('', { opcode: continuation, isOpen: true }), 2_000_000);
      await frame('', { opcode: continuation });
    },
  ),
  frames(
    'fragments-one-byte',
    'spreads its answer over 1,000,000 fragments of one byte',
    called(answers('in time')),
    async ({ id, frame, raw }) => {
      await frame(answer(id).slice(0, -1), { isOpen: true });
      await pour(raw, toFrame(' ', { opcode: continuation, isOpen: true }), 3_000_000);
      await frame('}', { opcode: continuation });
    },
  ),
  frames(
    'fragments-endless',
    'begins its answer and goes on with empty fragments for ever',
    called(fails(/cut off|within|timed? ?out/iu, 'by the deadline'), { next: 'unanswered' }),
    async ({ id, frame, raw }) => {
      await frame(answer(id, FORGED).slice(0, 40), { isOpen: true });
      await pour(raw, toFrame('', { opcode: continuation, isOpen: true }), Infinity);
    },
  ),
  frames('close-mid-call', 'closes the WebSocket during the call', broken(/1011/u), (turn) => turn.close(1011)),
  frames('close-no-code', 'closes the WebSocket without saying why', broken(/closed/iu), ({ frame }) =>
    frame('', { opcode: close }),
  ),
  frames('close-half-code', 'closes the WebSocket with half a code', broken(), ({ frame }) =>
    frame(Uint8Array.of(3), { opcode: close }),
  ),
  ...[0, 999, 1005, 1006, 1015, 65_535].map((code) =>
    frames(
      `close-${code}`,
      `closes the WebSocket with ${code}, which is not to be sent`,
      broken(/closed|cut off/iu),
      (turn) => turn.close(code),
    ),
  ),
  frames('close-evil', 'says in escape sequences why it closes', broken(/closed|1008/iu), (turn) =>
    turn.close(1008, EVIL.repeat(10)),
  ),
  frames('close-no-text', 'says why it closes in bytes that are no text', broken(/closed|1008/iu), ({ frame }) =>
    frame(closePayload(1008, Uint8Array.of(0xff, 0xfe, 0xc0, 0x80)), { opcode: close }),
  ),
  frames(
    'close-and-talk',
    'answers behind its own farewell',
    broken(/closed|1000/iu),
    async ({ id, close: part, say }) => {
      await part(1000);
      await say(answer(id, FORGED));
    },
  ),
  frames('close-behind', 'answers and closes at once', called(answers(), { next: 'lost' }), ({ id, raw }) =>
    raw(Buffer.concat([toFrame(answer(id)), toFrame(closePayload(1001), { opcode: close })])),
  ),
  frames('hang-up', 'ends the connection without a farewell', broken(/closed|ended/iu), ({ hangUp }) => hangUp()),
  frames('reset-mid-frame', 'resets the connection inside of its answer', broken(/closed|reset/iu), async (turn) => {
    await turn.raw(toFrame(answer(turn.id, FORGED)).subarray(0, 40));
    await sleep(20); // a reset would overtake bytes that are still in flight
    turn.reset();
  }),
  wsMode('ws-never-closes', 'answers neither pings nor farewells', called(answers()), { control: () => undefined }),
  wsMode('ws-closing-flood', 'floods whoever says farewell', called(answers()), {
    control: ({ opcode, raw }) => (opcode === close ? pour(raw, toFrame('x'.repeat(1000)), Infinity) : undefined),
  }),
];

function frames(name: string, summary: string, expect: Connected, attack: WsHandler): WsMode {
  return wsAttack(`ws-${name}`, summary, expect, attack);
}

/** The WebSocket is closed, or the start of the next frame is unknown: the connection is of no use any more. */
function broken(reason: RegExp = LOST): Connected {
  return called(fails(reason), { next: 'lost' });
}

function silence(): Connected {
  return called(fails(TIMED_OUT, 'at the deadline'), { next: 'unanswered' });
}
