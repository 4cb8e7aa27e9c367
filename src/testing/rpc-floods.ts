import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, exactly, fails, FORGED, most, TIMED_OUT } from './expectation.js';
import { answer, note, request } from './healthy.js';
import type { HeardMessage } from './hearing.js';
import type { StdioMode } from './mode.js';
import type { StdioTurn } from './stdio-turn.js';

const channel = 'stdio';

/** More of what may be sent, or later than it may be. */
export const rpcFloods: readonly StdioMode[] = [
  {
    name: 'rpc-progress-flood',
    channel,
    summary: 'reports progress 20,000 times: foreign tokens, falling values, no numbers at all',
    expect: called(answers('in time')),
    behave: () => ({
      async attack(turn) {
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
    }),
  },
  {
    name: 'rpc-progress-keepalive',
    channel,
    summary: 'reports progress every 50 ms for ever and never answers',
    expect: called(fails(TIMED_OUT, 'at the deadline')),
    behave: () => ({
      async attack(turn) {
        for (let progress = 1; ; progress++) {
          if (!(await turn.say(note('notifications/progress', { progressToken: tokenOf(turn), progress })))) return;
          await sleep(50);
        }
      },
    }),
  },
  {
    name: 'rpc-ping-flood',
    channel,
    summary: 'pings the host 20,000 times',
    expect: called(answers('in time')),
    behave: () => ({
      async attack(turn) {
        await flood(turn, 20_000, (index) => request(`ping-${index}`, 'ping'));
        await turn.say(answer(turn.id));
      },
    }),
  },
  {
    name: 'rpc-ping-flood-noread',
    channel,
    summary: 'pings the host 50,000 times and reads no answer',
    expect: called(answers('in time'), { next: 'unanswered' }),
    behave: () => ({
      async attack(turn) {
        turn.streams.stdin.pause();
        await flood(turn, 50_000, (index) => request(`ping-${index}`, 'ping'));
        await turn.say(answer(turn.id));
        setTimeout(() => {}, DEAF_MS); // nothing is read any more, so nothing else keeps this process
      },
    }),
  },
  {
    name: 'rpc-ping-huge-id',
    channel,
    summary: 'pings the host with an id of 5 MB, which the answer would have to repeat',
    expect: called(answers('in time')),
    behave: () => ({
      async attack({ id, say }) {
        await say(request('x'.repeat(5_000_000), 'ping'));
        await say(answer(id));
      },
    }),
  },
  {
    name: 'rpc-sampling-flood',
    channel,
    summary: 'asks for 20,000 samples',
    expect: called(answers('in time'), { counts: [exactly('answer', 0)] }),
    behave: () => ({
      async attack(turn) {
        await flood(turn, 20_000, (index) => request(index, 'sampling/createMessage', { messages: [], maxTokens: 1 }));
        await turn.say(answer(turn.id));
      },
    }),
  },
  {
    name: 'rpc-note-flood',
    channel,
    summary: 'sends 50,000 notifications that nobody knows before its answer',
    expect: called(answers('in time')),
    behave: () => ({
      async attack(turn) {
        await flood(turn, 50_000, () => UNKNOWN_NOTE);
        await turn.say(answer(turn.id));
      },
    }),
  },
  {
    name: 'rpc-note-storm',
    channel,
    summary: 'sends notifications for ever instead of an answer',
    expect: called(fails(TIMED_OUT, 'at the deadline')),
    behave: () => ({ attack: (turn) => flood(turn, Infinity, () => UNKNOWN_NOTE) }),
  },
  {
    name: 'rpc-log-flood',
    channel,
    summary: 'logs 20,000 messages with escape sequences',
    expect: called(answers('in time')),
    behave: () => ({
      async attack(turn) {
        await flood(turn, 20_000, (index) =>
          note('notifications/message', { level: 'alert', logger: '\u001b[31m', data: `\u001b]0;${index}\u0007` }),
        );
        await turn.say(answer(turn.id));
      },
    }),
  },
  {
    name: 'rpc-list-changed-flood',
    channel,
    summary: 'says 20,000 times that its tools have changed',
    // Two a second and list; whoever looks at the counts does so within seconds.
    expect: called(answers('in time'), { counts: [most('tools/list', 12)] }),
    behave: () => ({
      async attack(turn) {
        await flood(turn, 20_000, () => note('notifications/tools/list_changed'));
        await turn.say(answer(turn.id));
      },
    }),
  },
  {
    name: 'rpc-unknown-ids',
    channel,
    summary: 'answers 100,000 requests that nobody made',
    expect: called(answers('in time')),
    behave: () => ({
      async attack(turn) {
        await flood(turn, 100_000, (index) => answer(`unknown-${index}`, FORGED));
        await turn.say(answer(turn.id));
      },
    }),
  },
  {
    name: 'rpc-never',
    channel,
    summary: 'never answers the call',
    expect: called(fails(TIMED_OUT, 'at the deadline'), { counts: [exactly('notifications/cancelled', 1)] }),
    behave: () => ({ attack: () => undefined }),
  },
  {
    name: 'rpc-late-answer',
    channel,
    summary: 'answers once the call has been cancelled',
    expect: called(fails(TIMED_OUT, 'at the deadline')),
    behave: () => ({
      async attack({ id, hear, say }) {
        await hear(isCancellation);
        await say(answer(id, FORGED));
      },
    }),
  },
  {
    name: 'rpc-late-flood',
    channel,
    summary: 'answers 20,000 times once the call has been cancelled',
    expect: called(fails(TIMED_OUT, 'at the deadline')),
    behave: () => ({
      async attack(turn) {
        await turn.hear(isCancellation);
        await flood(turn, 20_000, () => answer(turn.id, FORGED));
      },
    }),
  },
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
