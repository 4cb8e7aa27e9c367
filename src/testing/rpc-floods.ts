import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, exactly, fails, FORGED, most, TIMED_OUT } from './expectation.js';
import { answer, note, request } from './healthy.js';
import type { HeardMessage } from './hearing.js';
import { stdioAttack, type StdioMode } from './mode.js';
import type { StdioTurn } from './stdio-turn.js';

/** More of what may be sent, or later than it may be. */
export const rpcFloods: readonly StdioMode[] = [
  stdioAttack(
    'rpc-progress-flood',
    'reports progress 20,000 times: foreign tokens, falling values, no numbers at all',
    called(answers('in time')),
    async (turn) => {
      const tokens = [tokenOf(turn), 'foreign', 7, null, { a: 1 }];
      const values = [5, 4, -1, 1e308, 'ten', null];
      await flood(turn, 20_000, (index) =>
        note('notifications/progress', {
          progressToken: tokens[index % tokens.length],
          progress: values[index % values.length],
          total: values[(index + 1) % values.length],
        }),
      );
      await turn.say(answer(turn.id));
    },
  ),
  stdioAttack(
    'rpc-progress-keepalive',
    'reports progress every 50 ms for ever and never answers',
    called(fails(TIMED_OUT, 'at the deadline')),
    async (turn) => {
      for (let progress = 1; ; progress++) {
        if (!(await turn.say(note('notifications/progress', { progressToken: tokenOf(turn), progress })))) return;
        await sleep(50);
      }
    },
  ),
  stdioAttack('rpc-ping-flood', 'pings the host 20,000 times', called(answers('in time')), async (turn) => {
    await flood(turn, 20_000, (index) => request(`ping-${index}`, 'ping'));
    await turn.say(answer(turn.id));
  }),
  stdioAttack(
    'rpc-ping-flood-noread',
    'pings the host 50,000 times and reads no answer',
    called(answers('in time'), { next: 'unanswered' }),
    async (turn) => {
      turn.streams.stdin.pause();
      await flood(turn, 50_000, (index) => request(`ping-${index}`, 'ping'));
      await turn.say(answer(turn.id));
      setTimeout(() => {}, DEAF_MS); // nothing is read any more, so nothing else keeps this process
    },
  ),
  stdioAttack(
    'rpc-ping-huge-id',
    'pings the host with an id of 5 MB, which the answer would have to repeat',
    called(answers('in time')),
    async ({ id, say }) => {
      await say(request('x'.repeat(5_000_000), 'ping'));
      await say(answer(id));
    },
  ),
  stdioAttack(
    'rpc-sampling-flood',
    'asks for 20,000 samples',
    called(answers('in time'), { counts: [exactly('answer', 0)] }),
    async (turn) => {
      await flood(turn, 20_000, (index) => request(index, 'sampling/createMessage', { messages: [], maxTokens: 1 }));
      await turn.say(answer(turn.id));
    },
  ),
  stdioAttack(
    'rpc-note-flood',
    'sends 50,000 notifications that nobody knows before its answer',
    called(answers('in time')),
    async (turn) => {
      await flood(turn, 50_000, () => UNKNOWN_NOTE);
      await turn.say(answer(turn.id));
    },
  ),
  stdioAttack(
    'rpc-note-storm',
    'sends notifications for ever instead of an answer',
    called(fails(TIMED_OUT, 'at the deadline')),
    (turn) => flood(turn, Infinity, () => UNKNOWN_NOTE),
  ),
  stdioAttack(
    'rpc-log-flood',
    'logs 20,000 messages with escape sequences',
    called(answers('in time')),
    async (turn) => {
      await flood(turn, 20_000, (index) =>
        note('notifications/message', { level: 'alert', logger: '\u001b[31m', data: `\u001b]0;${index}\u0007` }),
      );
      await turn.say(answer(turn.id));
    },
  ),
  stdioAttack(
    'rpc-list-changed-flood',
    'says 20,000 times that its tools have changed', // Two a second and list; whoever looks at the counts does so within seconds.
    called(answers('in time'), { counts: [most('tools/list', 12)] }),
    async (turn) => {
      await flood(turn, 20_000, () => note('notifications/tools/list_changed'));
      await turn.say(answer(turn.id));
    },
  ),
  stdioAttack(
    'rpc-unknown-ids',
    'answers 100,000 requests that nobody made',
    called(answers('in time')),
    async (turn) => {
      await flood(turn, 100_000, (index) => answer(`unknown-${index}`, FORGED));
      await turn.say(answer(turn.id));
    },
  ),
  stdioAttack(
    'rpc-never',
    'never answers the call',
    called(fails(TIMED_OUT, 'at the deadline'), { counts: [exactly('notifications/cancelled', 1)] }),
    () => undefined,
  ),
  stdioAttack(
    'rpc-late-answer',
    'answers once the call has been cancelled',
    called(fails(TIMED_OUT, 'at the deadline')),
    async ({ id, hear, say }) => {
      await hear(isCancellation);
      await say(answer(id, FORGED));
    },
  ),
  stdioAttack(
    'rpc-late-flood',
    'answers 20,000 times once the call has been cancelled',
    called(fails(TIMED_OUT, 'at the deadline')),
    async (turn) => {
      await turn.hear(isCancellation);
      await flood(turn, 20_000, () => answer(turn.id, FORGED));
    },
  ),
];

const UNKNOWN_NOTE = note('notifications/x');
const DEAF_MS = 60_000; // longer than any test waits, and not for ever

/** Many lines in few writes, none of them in memory for long. */
async function flood({ send }: StdioTurn, count: number, line: (index: number) => string): Promise<void> {
  for (let from = 0; from < count; from += PART) {
    const lines = Array.from({ length: Math.min(PART, count - from) }, (_, index) => `${line(from + index)}\n`);
    if (!(await send(lines.join('')))) return;
  }
}

const PART = 1000;

function tokenOf({ params, id }: StdioTurn): unknown {
  return (params['_meta'] as { readonly progressToken?: unknown } | undefined)?.progressToken ?? id;
}

function isCancellation({ method }: HeardMessage): boolean {
  return method === 'notifications/cancelled';
}
