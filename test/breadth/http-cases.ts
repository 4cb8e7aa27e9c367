import { httpAnswers } from './http/http-answers.js';
import { httpRefusals } from './http/http-refusals.js';
import { httpSse } from './http/http-sse.js';
import type { HttpHabit } from './http/raw-http-server.js';

/** What is expected of one server in http/. */
export interface HttpCase {
  /** Ends the title "Plugboard works with a server that ..."; for a failure, "... says what is wrong with ...". */
  readonly that: string;
  readonly habit: HttpHabit;
  readonly expected: Works | Fails;
  /** The methods that were sent by POST before those for tools. */
  readonly asked: readonly string[];
  readonly notifications?: readonly string[];
  readonly silences?: 1;
  readonly timeoutMs?: number;
}

interface Works {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
}

interface Fails {
  readonly code: string;
  readonly message: RegExp;
}

const HANDSHAKE = ['initialize', 'notifications/initialized'];
const PROBED = ['server/discover', ...HANDSHAKE];
const OLD: Works = { era: 'legacy', version: '2025-06-18' };
const OLDER: Works = { era: 'legacy', version: '2025-03-26' };
const OLDEST: Works = { era: 'legacy', version: '2024-11-05' };
const NEW_ONE: Works = { era: 'modern', version: '2026-07-28' };
const NOTED = ['notifications/message'];

/** Servers that do not know `server/discover`: detecting that costs one round trip. */
const refusals: readonly HttpCase[] = [
  ...Object.entries({
    'answers with an error': httpRefusals['rpc-error'],
    'answers with an error and 404': httpRefusals['rpc-error-404'],
    'answers with an error and 500': httpRefusals['rpc-error-500'],
    'answers with an error, 200 and no id': httpRefusals['rpc-error-200-null'],
    'answers 400': httpRefusals['status-400'],
    'answers 404': httpRefusals['status-404'],
    'answers 405': httpRefusals['status-405'],
    'answers 406': httpRefusals['status-406'],
    'answers 415': httpRefusals['status-415'],
    'answers 422': httpRefusals['status-422'],
    'answers 422 and what it misses': httpRefusals['validation-422'],
    'answers 500': httpRefusals['status-500'],
    'answers 501': httpRefusals['status-501'],
    'answers 502': httpRefusals['status-502'],
    'answers 202': httpRefusals['status-202'],
    'answers 204': httpRefusals['status-204'],
    'answers with nothing': httpRefusals['status-200-empty'],
    'answers with a page': httpRefusals['page-200'],
    'answers with a page and 404': httpRefusals['page-404'],
    'answers with JSON that is no answer': httpRefusals['json-that-is-no-answer'],
    'hangs up': httpRefusals['hangs-up'],
    'refuses the version and offers older ones': httpRefusals['offers-old-ones'],
    'refuses the version and offers none': httpRefusals['offers-none'],
  } satisfies Record<string, HttpHabit>).map(([that, habit]) => ({
    that: `${that} when it is asked for the new era`,
    habit,
    expected: OLD,
    asked: PROBED,
  })),
  {
    that: 'never answers when it is asked for the new era',
    habit: httpRefusals['never-answers'],
    expected: OLD,
    asked: PROBED,
    silences: 1,
  },
  {
    that: 'wants somebody to sign in',
    habit: httpRefusals['status-401'],
    expected: { code: 'unauthorized', message: /"odd" answered HTTP 401/u },
    asked: ['server/discover'],
  },
  {
    that: 'lets nobody in',
    habit: httpRefusals['status-403'],
    expected: { code: 'unauthorized', message: /"odd" answered HTTP 403/u },
    asked: ['server/discover'],
  },
  {
    that: 'refuses the version that it offers, once',
    habit: httpRefusals['offers-new-once'],
    expected: NEW_ONE,
    asked: ['server/discover', 'server/discover'],
  },
  {
    that: 'offers only versions of the future',
    habit: httpRefusals['offers-unknown-ones'],
    expected: { code: 'unsupported', message: /2027-01-15/u },
    asked: ['server/discover'],
  },
  {
    that: 'refuses a call without saying which',
    habit: httpRefusals['calls-refused-without-id'],
    expected: { code: 'server-error', message: /tools\/call with error -32602: Tool echo is asleep/u },
    asked: PROBED,
  },
  {
    that: 'refuses a call with 400 and without saying which',
    habit: httpRefusals['calls-refused-with-400'],
    expected: { code: 'server-error', message: /tools\/call with error -32602: Tool echo is asleep/u },
    asked: PROBED,
  },
  {
    that: 'takes a call and answers nothing',
    habit: httpRefusals['calls-answered-with-202'],
    expected: { code: 'http-failed', message: /"odd" accepted the request and sends no answer to it \(HTTP 202\)/u },
    asked: PROBED,
  },
  {
    that: 'breaks on everything',
    habit: httpRefusals['refuses-all-with-500'],
    expected: { code: 'http-failed', message: /"odd" answered HTTP 500/u },
    asked: ['server/discover', 'initialize'],
  },
  {
    that: 'is at no place of that name',
    habit: httpRefusals['refuses-all-with-404'],
    expected: { code: 'http-failed', message: /"odd" answered HTTP 404/u },
    asked: ['server/discover', 'initialize'],
  },
  {
    that: 'takes everything and answers nothing',
    habit: httpRefusals['accepts-all-with-202'],
    expected: { code: 'http-failed', message: /"odd" accepted the request and sends no answer to it \(HTTP 202\)/u },
    asked: ['server/discover', 'initialize'],
  },
];

function working(
  habits: Readonly<Record<string, HttpHabit>>,
  expected: Works,
  notifications: readonly string[] = [],
): HttpCase[] {
  const asked = expected.era === 'modern' ? ['server/discover'] : PROBED;
  return Object.entries(habits).map(([that, habit]) => ({ that, habit, expected, asked, notifications }));
}

const answers: readonly HttpCase[] = [
  ...working({ 'has no sessions': httpAnswers.stateless }, OLD),
  ...working({ 'speaks 2025-03-26': httpAnswers['oldest-revision'], 'answers with arrays': httpAnswers.arrays }, OLDER),
  ...working({ 'answers with arrays in events': httpAnswers['arrays-in-events'] }, OLDER, NOTED),
  ...working({ 'sends notes in events before the answer': httpAnswers['events-with-notes'] }, OLD, NOTED),
  ...working(
    {
      'names the charset of its JSON': httpAnswers.charset,
      'names the charset of its events': httpAnswers['charset-in-events'],
      'sends JSON byte by byte': httpAnswers['byte-by-byte'],
      'sends events byte by byte': httpAnswers['byte-by-byte-in-events'],
      'writes events as Python does': httpAnswers['events-like-python'],
      'writes events as Java does': httpAnswers['events-like-java'],
      'spreads an event over many lines': httpAnswers['events-of-many-lines'],
      'compresses its answers': httpAnswers.gzip,
      'begins with a byte order mark': httpAnswers['mark-before-json'],
      'writes ids as texts': httpAnswers['text-ids'],
      'closes every connection': httpAnswers['closes-every-connection'],
      'redirects to a path with a slash, as Python does': httpAnswers['redirects-to-a-slash'],
      'answers notifications with JSON': httpAnswers['notices-200-json'],
      'answers notifications with 204': httpAnswers['notices-204'],
      'answers notifications with an error': httpAnswers['notices-answered'],
      'answers 405 to the end of a session': httpAnswers['delete-405'],
      'answers 404 to the end of a session': httpAnswers['delete-404'],
      'never answers the request for a stream': httpAnswers['stream-never'],
      'answers 404 to the request for a stream': httpAnswers['stream-404'],
      'answers 400 to the request for a stream': httpAnswers['stream-400'],
      'answers the request for a stream with a page': httpAnswers['stream-page'],
    },
    OLD,
  ),
  ...working(
    { 'is of the new era': httpAnswers.new, 'is of the new era and answers in events': httpAnswers['new-in-events'] },
    NEW_ONE,
  ),
  ...working({ 'speaks both eras': httpAnswers.both }, NEW_ONE),
];

const REACHED_OTHERWISE = ['server/discover', 'initialize', ...HANDSHAKE];

const sse: readonly HttpCase[] = [
  ...Object.entries({
    'a page and 404': httpSse['sse-behind-404-page'],
    '404': httpSse['sse-behind-404'],
    '405': httpSse['sse-behind-405'],
    '400': httpSse['sse-behind-400'],
    '202': httpSse['sse-behind-202'],
  } satisfies Record<string, HttpHabit>).map(([what, habit]) => ({
    that: `is of the oldest kind and answers POST with ${what}`,
    habit,
    expected: OLDEST,
    asked: REACHED_OTHERWISE,
  })),
  {
    that: 'answers POST with 404 and GET never',
    habit: httpSse['neither-nor-and-silent'],
    expected: { code: 'connect-timeout', message: /did not finish the handshake within 2000 ms/u },
    asked: ['server/discover', 'initialize'],
    timeoutMs: 2_000,
  },
];

export const httpCases: readonly HttpCase[] = [...sse, ...refusals, ...answers];

/** The responses by which servers refuse a session that they have forgotten. */
export const forgetful: readonly (readonly [string, HttpHabit])[] = [
  ['404 and -32001', httpAnswers['forgets-404-32001']],
  ['404 and -32600', httpAnswers['forgets-404-32600']],
  ['400 and -32000', httpAnswers['forgets-400-32000']],
  ['404 and a page', httpAnswers['forgets-404-page']],
];
