import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';
import {
  answers,
  called,
  type Connected,
  EVIL,
  exactly,
  fails,
  FORGED,
  listed,
  lists,
  most,
  untried,
} from '../expectation.js';
import { flood } from '../attacks/flood.js';
import { failure, notification, request, success } from '../healthy.js';
import { MODERN, modernResult, modernToolList, unsupported } from './modern-healthy.js';
import { type ModernHandler, type ModernMode, modernMode, talking, type TalkTurn } from './modern-mode.js';

const TEXT = { type: 'text', text: FORGED };
const KIND = /resultType|result|kind/iu;
const ONCE = exactly('tools/call attack', 1);

/** Results of unknown types, endless errors, and requests that a modern server may not make. */
export const results: readonly ModernMode[] = [
  kind('result-type-unknown', 'gives a kind of result that nobody knows', 'surprise'),
  kind('result-type-number', 'gives a number as the kind of its result', 42),
  kind('result-type-null', 'gives null as the kind of its result', null),
  kind('result-type-object', 'gives an object as the kind of its result', { complete: true }),
  kind('result-type-evil', 'gives a kind of result of 1 MB in escape sequences', EVIL.repeat(60_000)),
  listing(
    'list-type-unknown',
    'lists its tools in a kind of result that nobody knows',
    called(answers(), { list: fails(KIND) }),
    ({ id, tell }) => tell(modernToolList(id, [], { resultType: 'surprise' })),
  ),
  listing(
    'list-input',
    'asks something in return when it is to list its tools',
    called(answers(), { list: fails(/asks|input|may not/iu), counts: [exactly('tools/list', 1)] }),
    ({ id, tell }) => tell(modernToolList(id, [], { resultType: 'input_required', requestState: 'x' })),
  ),
  listing(
    'list-task',
    'makes a task of listing its tools',
    called(answers(), { list: fails(KIND), counts: [exactly('tasks/get', 0)] }),
    ({ id, tell }) => tell(success(id, { resultType: 'task', taskId: 't', status: 'working', ttlMs: null })),
  ),
  {
    name: 'ttl-huge',
    summary: 'wants its tools to be kept for ever, and complains of them then',
    expect: called(answers('in time'), { counts: [exactly('tools/list', 2), exactly('tools/call attack', 2)] }),
    behave: () => {
      let isKnown = false;
      return {
        list: ({ id, tell }) => tell(modernToolList(id, [], { ttlMs: 1e308, cacheScope: 'public' })),
        attack({ id, tell }) {
          if (isKnown) return tell(modernResult(id));
          isKnown = true;
          return tell(failure(id, HEADER_MISMATCH, 'Header mismatch'), 400);
        },
      };
    },
  },
  ...[-5, 'x', null, {}, [1000], 0.5].map((ttlMs, index) =>
    listing(
      `ttl-strange-${index}`,
      `wants its tools to be kept for ${JSON.stringify(ttlMs)} ms, and for nobody knows whom`,
      listed(lists()),
      ({ id, tell }) => tell(modernToolList(id, [], { ttlMs, cacheScope: [ttlMs] })),
    ),
  ),
  attacks(
    'mismatch-loop',
    'complains of the headers for ever',
    called(fails(/header/iu, 'in time'), { counts: [most('tools/call attack', 2), most('tools/list', 2)] }),
    ({ id, tell }) => tell(failure(id, HEADER_MISMATCH, 'Header mismatch'), 400),
  ),
  attacks(
    'unsupported-loop',
    'refuses the version for ever, and names the same one as right',
    called(fails(/version/iu, 'in time'), { counts: [most('tools/call attack', 2)] }),
    ({ id, tell }) => tell(unsupported(id, MODERN), 400),
  ),
  attacks(
    'unsupported-other',
    'does not know the version any more, and names one of the future',
    called(fails(/version/iu), { counts: [ONCE] }),
    ({ id, tell }) => tell(unsupported(id, MODERN, ['9999-01-01']), 400),
  ),
  attacks(
    'unsupported-evil',
    'does not know the version any more, and says so in 1 MB of escape sequences',
    called(fails(/./u, 'in time'), { counts: [ONCE] }),
    ({ id, tell }) => tell(failure(id, UNSUPPORTED_VERSION, EVIL.repeat(60_000), { supported: EVIL }), 400),
  ),
  attacks(
    'capability-missing',
    'wants a capability that the host has not',
    called(fails(/capabilit|sampling/iu), { counts: [ONCE] }),
    ({ id, tell }) =>
      tell(
        failure(id, MISSING_CAPABILITY, 'Missing capability', {
          requiredCapabilities: { sampling: {}, [EVIL]: EVIL.repeat(1000) },
        }),
        400,
      ),
  ),
  attacks(
    'method-unknown',
    'does not know how tools are called',
    called(fails(/^(?!.*(?:endpoint|URL))[^]*not found/iu), { counts: [ONCE] }),
    // The HTTP status is 404, but the host must not conclude that the URL is wrong.
    ({ id, tell }) => tell(failure(id, -32601, 'Method not found'), 404),
  ),
  late('requests', 'asks the host, as only an older server may', unanswered('at once'), ({ say }) =>
    say(
      ...['ping', 'sampling/createMessage', 'elicitation/create', 'roots/list', 'files/read'].map((method, index) =>
        request(`r${index}`, method),
      ),
    ),
  ),
  late('requests-flood', 'asks the host 20,000 times, as only an older server may', unanswered('in time'), ({ say }) =>
    flood(say, 20_000, (index) => request(index, 'ping')),
  ),
  floods('note-flood', 'sends 5,000 notifications that nobody knows', () => notification('notifications/x')),
  floods('log-flood', 'logs 5,000 messages that nobody asked for', (index) =>
    notification('notifications/message', { level: 'alert', logger: EVIL, data: `${EVIL}${index}` }),
  ),
  floods('progress-flood', 'reports progress 5,000 times', (index) =>
    notification('notifications/progress', { progressToken: index % 3 === 0 ? 'x' : index, progress: -index }),
  ),
  late('cancel-forged', 'cancels the call that the host waits for, and answers it', called(answers()), ({ id, say }) =>
    say(...[id, String(id), null, {}].map((requestId) => notification('notifications/cancelled', { requestId }))),
  ),
  listing(
    'no-tools',
    'forgets its tools between the question and the list',
    called(untried, { list: fails(/not found|-32601/iu) }),
    ({ id, tell }) => tell(failure(id, -32601, 'Method not found'), 404),
  ),
];

function kind(name: string, summary: string, resultType: unknown): ModernMode {
  return attacks(name, summary, called(fails(KIND), { counts: [ONCE] }), ({ id, tell }) =>
    tell(success(id, { resultType, content: [TEXT] })),
  );
}

/** A host of the modern era never responds to requests from the server. */
function unanswered(when: 'at once' | 'in time'): Connected {
  return called(answers(when), { counts: [exactly('answer', 0), exactly('error -32601', 0)] });
}

function attacks(name: string, summary: string, expect: Connected, attack: ModernHandler): ModernMode {
  return modernMode(name, summary, expect, { attack });
}

function listing(name: string, summary: string, expect: Connected, list: ModernHandler): ModernMode {
  return modernMode(name, summary, expect, { list });
}

/** Runs `before`, then answers the call. */
function late(name: string, summary: string, expect: Connected, before: (turn: TalkTurn) => unknown): ModernMode {
  return attacks(
    name,
    summary,
    expect,
    talking(async (turn) => {
      await before(turn);
      await turn.say(modernResult(turn.id));
      await turn.end();
    }),
  );
}

function floods(name: string, summary: string, line: (index: number) => string): ModernMode {
  return late(name, summary, called(answers('in time')), ({ say }) => flood(say, 5_000, line));
}
