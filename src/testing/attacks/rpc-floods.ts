import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, type Connected, exactly, fails, FORGED, most, TIMED_OUT } from '../expectation.js';
import { flood } from './flood.js';
import { answer, notification, request } from '../healthy.js';
import type { ReceivedMessage } from '../received-messages.js';
import { stdioAttack, type StdioMode } from '../mode.js';
import type { StdioTurn } from '../stdio-turn.js';
import { stdioLate } from '../describe-answer.js';

/** Messages that are legal one by one, but too many or too late. */
export const rpcFloods: readonly StdioMode[] = [
  stdioLate(
    'rpc-progress-flood',
    'reports progress 20,000 times: foreign tokens, falling values, no numbers at all',
    (turn) => {
      const tokens = [tokenOf(turn), 'foreign', 7, null, { a: 1 }];
      const values = [5, 4, -1, 1e308, 'ten', null];
      return flood(turn.say, 20_000, (index) =>
        notification('notifications/progress', {
          progressToken: tokens[index % tokens.length],
          progress: values[index % values.length],
          total: values[(index + 1) % values.length],
        }),
      );
    },
  ),
  stdioAttack(
    'rpc-progress-keepalive',
    'reports progress every 50 ms for ever and never answers',
    called(fails(TIMED_OUT, 'at the deadline')),
    async (turn) => {
      for (let progress = 1; ; progress++) {
        if (!(await turn.say(notification('notifications/progress', { progressToken: tokenOf(turn), progress }))))
          return;
        await sleep(50);
      }
    },
  ),
  floods('rpc-ping-flood', 'pings the host 20,000 times', 20_000, (index) => request(`ping-${index}`, 'ping')),
  stdioAttack(
    'rpc-ping-flood-noread',
    'pings the host 50,000 times and reads no answer',
    called(answers('in time'), { next: 'unanswered' }),
    async ({ id, say, streams }) => {
      streams.stdin.pause();
      await flood(say, 50_000, (index) => request(`ping-${index}`, 'ping'));
      await say(answer(id));
      setTimeout(() => {}, DEAF_MS); // stdin is paused, so only this timer keeps the process alive
    },
  ),
  stdioLate('rpc-ping-huge-id', 'pings the host with an id of 5 MB, which the answer would have to repeat', ({ say }) =>
    say(request('x'.repeat(5_000_000), 'ping')),
  ),
  floods(
    'rpc-sampling-flood',
    'asks for 20,000 samples',
    20_000,
    (index) => request(index, 'sampling/createMessage', { messages: [], maxTokens: 1 }),
    [exactly('answer', 0)],
  ),
  floods(
    'rpc-note-flood',
    'sends 50,000 notifications that nobody knows before its answer',
    50_000,
    () => UNKNOWN_NOTE,
  ),
  stdioAttack(
    'rpc-note-storm',
    'sends notifications for ever instead of an answer',
    called(fails(TIMED_OUT, 'at the deadline')),
    ({ say }) => flood(say, Infinity, () => UNKNOWN_NOTE),
  ),
  floods('rpc-log-flood', 'logs 20,000 messages with escape sequences', 20_000, (index) =>
    notification('notifications/message', { level: 'alert', logger: '\u001b[31m', data: `\u001b]0;${index}\u0007` }),
  ),
  floods(
    'rpc-list-changed-flood',
    'says 20,000 times that its tools have changed',
    20_000,
    () => notification('notifications/tools/list_changed'),
    [most('tools/list', 12)], // at most two refreshes a second; the checker reads the counts within seconds
  ),
  floods('rpc-unknown-ids', 'answers 100,000 requests that nobody made', 100_000, (index) =>
    answer(`unknown-${index}`, FORGED),
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
    async ({ id, hear, say }) => {
      await hear(isCancellation);
      await flood(say, 20_000, () => answer(id, FORGED));
    },
  ),
];

const UNKNOWN_NOTE = notification('notifications/x');
const DEAF_MS = 60_000; // longer than any test waits; then the process ends by itself

function floods(
  name: string,
  summary: string,
  count: number,
  line: (index: number) => string,
  counts: Connected['counts'] = [],
): StdioMode {
  return stdioLate(name, summary, ({ say }) => flood(say, count, line), { counts });
}

function tokenOf({ params, id }: StdioTurn): unknown {
  return (params['_meta'] as { readonly progressToken?: unknown } | undefined)?.progressToken ?? id;
}

function isCancellation({ method }: ReceivedMessage): boolean {
  return method === 'notifications/cancelled';
}
