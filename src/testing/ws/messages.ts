import { answers, called, type Connected, ends, exactly, fails, FORGED, HONEST, TIMED_OUT } from '../expectation.js';
import { flood } from '../attacks/flood.js';
import { answer, notification, request, toolList, initializeResult } from '../healthy.js';
import { wsAttack, type WsMode, wsMode } from '../mode.js';
import { describeAnswer, thenAnswer } from '../describe-answer.js';
import { MB, pour } from '../write.js';
import { OPCODE, toFrame, toFrameHead } from './frame.js';
import type { WsHandler, WsTurn } from './ws-turn.js';

const { ping, pong, continuation } = OPCODE;
const LARGE = /large|limit|MB|bytes|cut off/iu;

/** Messages in valid frames that are too large, too many, or answers to no request. */
export const wsMessages: readonly WsMode[] = [
  messages('content-300mb', 'answers with a text of 300 MB', called(ends(LARGE, 'in time')), (turn) =>
    pourText(turn, 300 * MB),
  ),
  messages('content-9mb', 'answers with 9 MB of text', called(answers('in time')), (turn) => pourText(turn, 9 * MB)),
  messages(
    'content-fragments',
    'answers with 20 MB of text in fragments of 64 KB',
    called(ends(LARGE, 'in time')),
    async ({ id, frame }) => {
      const text = answer(id, `${HONEST} `);
      await frame(text.slice(0, -5), { isOpen: true });
      const send = (bytes: string | Uint8Array): Promise<boolean> =>
        frame(bytes, { opcode: continuation, isOpen: true });
      await pour(send, 'All work and no play. ', 20 * MB);
      await frame(text.slice(-5), { opcode: continuation });
    },
  ),
  messages(
    'noise-64mb',
    'sends a message of 64 MB that is no JSON',
    called(fails(LARGE, 'in time'), { next: 'lost' }),
    async ({ raw }) => {
      await raw(toFrameHead(BigInt(64 * MB)));
      await pour(raw, 'x', 64 * MB);
    },
  ),
  messages(
    'noise-small',
    'sends 10,000 messages that are no JSON before its answer',
    called(answers('in time')),
    thenAnswer(({ raw }) => pour(raw, toFrame('Debug: loading...'), 190_000)),
  ),
  messages(
    'note-17mb',
    'sends a notification of 17 MB before its answer',
    called(answers('in time')),
    thenAnswer(async ({ raw }) => {
      const start = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"';
      await raw(Buffer.concat([toFrameHead(BigInt(start.length + 17 * MB + 3)), Buffer.from(start)]));
      await pour(raw, 'x', 17 * MB);
      await raw('"}}');
    }),
  ),
  messages(
    'deep',
    'nests 4,000,000 arrays in 8 MB',
    called(fails(/deep|depth|nest|level/iu, 'in time')),
    async ({ id, raw }) => {
      const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":`;
      await raw(Buffer.concat([toFrameHead(BigInt(start.length + 8_000_002)), Buffer.from(start)]));
      await pour(raw, '[', 4_000_000);
      await pour(raw, ']', 4_000_000);
      await raw('}}');
    },
  ),
  messages('scalars', 'sends null, 42, "x", true and [] before its answer', called(answers()), ({ id, say }) =>
    say('null', '42', '"x"', 'true', '[]', '[[]]', '[null]', '{}', answer(id)),
  ),
  messages('two-in-one', 'puts two messages into one frame', called(fails(/JSON/u)), ({ id, say }) =>
    say(`${answer(id, FORGED)}\n${answer('another', FORGED)}`),
  ),
  messages('dup', 'answers twice', called(answers()), ({ id, say }) => say(answer(id), answer(id, FORGED))),
  messages('spoof-future', 'answers the next 1,000 ids before anybody asks', called(answers()), ({ id, say }) =>
    say(...Array.from({ length: 1000 }, (_, step) => answer(Number(id) + step + 1, FORGED)), answer(id)),
  ),
  messages('never', 'never answers the call', never(), () => undefined),
  messages('sampling', 'asks for a sample', called(answers('in time', /^error -32601$/u)), (turn) =>
    describeAnswer(turn, request('r', 'sampling/createMessage', { messages: [], maxTokens: 1 })),
  ),
  messages(
    'ping-message',
    'pings the host by a message, and waits for it (legal)',
    called(answers('in time', /^answer \{\}$/u)),
    (turn) => describeAnswer(turn, request('r', 'ping')),
  ),
  floods('ping-flood', 'pings the host 5,000 times by frames', (index) => toFrame(`${index}`, { opcode: ping })),
  floods('pong-flood', 'sends 5,000 pongs that nobody asked for', () => toFrame('x'.repeat(100), { opcode: pong })),
  messages(
    'note-flood',
    'sends 20,000 notifications',
    called(answers('in time')),
    flooding(20_000, () => toFrame(notification('notifications/message', { level: 'info', data: 'x' }))),
  ),
  floods('progress-flood', 'reports progress 5,000 times', () =>
    toFrame(notification('notifications/progress', { progressToken: 'x', progress: 1 })),
  ),
  floods('list-changed-flood', 'says 5,000 times that its tools have changed', () =>
    toFrame(notification('notifications/tools/list_changed')),
  ),
  floods('request-flood', 'pings the host 5,000 times by messages', (index) =>
    toFrame(request(`ping-${index}`, 'ping')),
  ),
  floods('unknown-ids', 'answers 5,000 calls that nobody made', (index) => toFrame(answer(`unknown-${index}`, FORGED))),
  deaf('ping-flood-deaf', 'pings the host 10,000 times by frames and reads no pong', (index) =>
    toFrame('x'.repeat(120) + (index % 10), { opcode: ping }),
  ),
  deaf(
    'request-flood-deaf',
    'pings the host 10,000 times by messages, each to be answered in 900 bytes, and reads no answer',
    (index) => toFrame(request(`${index}${'x'.repeat(900)}`, 'ping')),
  ),
  messages('ping-storm', 'pings the host by frames for ever', called(fails(TIMED_OUT, 'at the deadline')), ({ raw }) =>
    pour(raw, toFrame('x'.repeat(125), { opcode: ping }), Infinity),
  ),
  wsMode(
    'ws-deaf',
    'reads nothing any more once it has listed its tools',
    called(fails(TIMED_OUT, 'at the deadline'), { next: 'unanswered' }),
    {
      list: async ({ id, say, deafen }) => {
        deafen();
        await say(toolList(id));
      },
    },
    { padding: 8 * MB },
  ),
  wsMode(
    'ws-init-never',
    'never answers the handshake',
    { connect: fails(TIMED_OUT, 'at the deadline'), counts: [exactly('initialize', 1)] },
    { initialize: () => undefined },
  ),
  wsMode(
    'ws-init-version',
    'speaks a version from the far future',
    { connect: fails(/version|protocol/iu, 'in time'), counts: [exactly('initialize', 1)] },
    { initialize: (turn) => turn.say(initializeResult(turn, { protocolVersion: '9999-01-01' })) },
  ),
  wsMode('ws-init-flood', 'sends 5,000 notifications before it answers the handshake', called(answers()), {
    async initialize(turn) {
      await pour(turn.raw, toFrame(notification('notifications/tools/list_changed')), 5_000 * 70);
      await turn.say(initializeResult(turn));
    },
  }),
];

function messages(name: string, summary: string, expect: Connected, attack: WsHandler): WsMode {
  return wsAttack(`ws-${name}`, summary, expect, attack);
}

/** Stops reading, floods the host, then answers. */
function deaf(name: string, summary: string, frame: (index: number) => Buffer): WsMode {
  return messages(name, summary, called(answers('in time'), { next: 'unanswered' }), (turn) => {
    turn.deafen();
    return flooding(10_000, frame)(turn);
  });
}

function never(): Connected {
  return called(fails(TIMED_OUT, 'at the deadline'), { counts: [exactly('notifications/cancelled', 1)] });
}

async function pourText({ id, raw }: WsTurn, bytes: number): Promise<void> {
  const text = answer(id, `${HONEST} `);
  await raw(Buffer.concat([toFrameHead(BigInt(text.length + bytes)), Buffer.from(text.slice(0, -5))]));
  await pour(raw, 'x', bytes);
  await raw(text.slice(-5));
}

function floods(name: string, summary: string, frame: (index: number) => Buffer): WsMode {
  return messages(name, summary, called(answers('in time')), flooding(5_000, frame));
}

function flooding(count: number, frame: (index: number) => Buffer): WsHandler {
  return thenAnswer(({ raw }) => flood((...frames) => raw(Buffer.concat(frames)), count, frame));
}
