/** What is expected of one server in stdio/. */
export interface StdioCase {
  /** Ends the title "Plugboard works with a server that ..."; for a failure, "... says what is wrong with ...". */
  readonly that: string;
  readonly habit: string;
  readonly expected: Works | Fails;
  /** The methods that each process received before those for tools, process by process. */
  readonly asked: readonly (readonly string[])[];
  /** Plugboard's own notes about the connection; as a rule none. */
  readonly notes?: readonly string[] | 'any';
  readonly notifications?: readonly string[];
  /** The era that the entry forces. */
  readonly era?: 'legacy' | 'modern';
  /** The 5 s of silence run out before the server responds. */
  readonly silences?: 1;
}

interface Works {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
  /** Default: one tool. */
  readonly tools?: readonly string[];
}

interface Fails {
  readonly code: string;
  readonly message: RegExp;
}

const HANDSHAKE = ['initialize', 'notifications/initialized'];
const PROBED = [['server/discover', ...HANDSHAKE]];
const RESTARTED = [['server/discover'], HANDSHAKE];
const NEW_ONE = { era: 'modern', version: '2026-07-28' } as const;
const LOGS = ['notifications/message', 'notifications/tools/list_changed'];

function old(version = '2024-11-05', tools?: readonly string[]): Works {
  return { era: 'legacy', version, ...(tools && { tools }) };
}

/** Servers that do not know `server/discover`. */
const refusals: readonly StdioCase[] = [
  { that: 'does not know the method', habit: 'method-not-found', expected: old(), asked: PROBED },
  {
    that: 'finds fault with the parameters, as Python does',
    habit: 'invalid-parameters',
    expected: old('2025-06-18'),
    asked: PROBED,
  },
  { that: 'calls the request invalid', habit: 'invalid-request', expected: old(), asked: PROBED },
  { that: 'refuses with a code of its own', habit: 'own-code', expected: old(), asked: PROBED },
  { that: 'wants to be greeted first', habit: 'not-initialized', expected: old(), asked: PROBED },
  { that: 'breaks inside and says so', habit: 'internal-error', expected: old(), asked: PROBED },
  { that: 'claims that it cannot read', habit: 'parse-error', expected: old(), asked: PROBED },
  { that: 'refuses with a positive code', habit: 'positive-code', expected: old(), asked: PROBED },
  { that: 'happens to use a code of the new era', habit: 'header-mismatch', expected: old(), asked: PROBED },
  { that: 'writes an error as a text', habit: 'error-as-text', expected: old(), asked: PROBED },
  { that: 'refuses without an id', habit: 'error-without-id', expected: old(), asked: PROBED },
  {
    that: 'does not know the method and leaves the id out',
    habit: 'unknown-without-id',
    expected: old(),
    asked: PROBED,
    silences: 1,
  },
  { that: 'has results for errors', habit: 'error-in-result', expected: old(), asked: PROBED },
  { that: 'answers everything with nothing', habit: 'empty-result', expected: old(), asked: PROBED },
  { that: 'answers everything with null', habit: 'null-result', expected: old(), asked: PROBED },
  { that: 'refuses in a batch', habit: 'refuses-in-a-batch', expected: old('2025-03-26'), asked: PROBED },
  { that: 'refuses with the id as a text', habit: 'refuses-with-a-text-id', expected: old(), asked: PROBED },
  { that: 'ignores what it does not know', habit: 'silent', expected: old(), asked: PROBED, silences: 1 },
  {
    that: 'exits unless it is greeted first, as in Rust',
    habit: 'exits-like-rust',
    expected: old('2025-06-18'),
    asked: RESTARTED,
  },
  {
    that: 'dies unless it is greeted first, as in early Python',
    habit: 'dies-like-python',
    expected: old(),
    asked: RESTARTED,
  },
  { that: 'panics unless it is greeted first', habit: 'panics-like-go', expected: old(), asked: RESTARTED },
  {
    that: 'leaves without a word unless it is greeted first',
    habit: 'leaves-without-a-word',
    expected: old(),
    asked: RESTARTED,
  },
  {
    that: 'closes its stdout unless it is greeted first',
    habit: 'closes-its-stdout',
    expected: old(),
    asked: RESTARTED,
  },
];

const shapes: readonly StdioCase[] = [
  { that: 'writes ids as texts', habit: 'text-ids', expected: old(), asked: PROBED },
  { that: 'answers in batches', habit: 'batches', expected: old('2025-03-26'), asked: PROBED },
  {
    that: 'answers in batches with notes',
    habit: 'batches-with-notes',
    expected: old('2025-03-26'),
    asked: PROBED,
    notifications: ['notifications/message'],
  },
  { that: 'has fields of its own everywhere', habit: 'more-fields', expected: old(), asked: PROBED },
  { that: 'does not say who it is', habit: 'no-server-info', expected: old(), asked: PROBED },
  { that: 'does not say what it can do', habit: 'no-capabilities', expected: old(undefined, []), asked: PROBED },
  { that: 'says null for what it can do', habit: 'null-capabilities', expected: old(undefined, []), asked: PROBED },
  { that: 'says null for everything it has not', habit: 'nulls-for-nothing', expected: old(), asked: PROBED },
  {
    that: 'says null for every field of its tools that it has not',
    habit: 'nulls-in-tools',
    expected: old(),
    asked: PROBED,
  },
  {
    that: 'has both a result and an error, one of them null',
    habit: 'nulls-beside',
    expected: old(),
    asked: PROBED,
  },
  { that: 'writes the id last', habit: 'id-last', expected: old(), asked: PROBED },
  {
    that: 'leaves "jsonrpc" out',
    habit: 'no-jsonrpc',
    expected: { code: 'bad-answer', message: /initialize .* does not say "jsonrpc": "2\.0"$/u },
    asked: [['server/discover', 'initialize']],
  },
  ...['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map((version) => ({
    that: `speaks ${version}`,
    habit: `speaks-${version}`,
    expected: old(version),
    asked: PROBED,
  })),
  {
    that: 'speaks whatever it is asked for',
    habit: 'speaks-whatever-is-asked-for',
    expected: old('2025-11-25'),
    asked: PROBED,
  },
  {
    that: 'speaks a version that nobody knows',
    habit: 'speaks-1999-01-01',
    expected: { code: 'unsupported', message: /"odd" speaks protocol 1999-01-01/u },
    asked: [['server/discover', 'initialize']],
  },
];

const lines: readonly StdioCase[] = [
  {
    that: 'logs on stdout',
    habit: 'logs-on-stdout',
    expected: old(),
    asked: PROBED,
    notes: ['noise: Raw server 1.0', 'noise: listening on stdio ...', 'noise: -> sending', 'noise: <- sent'],
  },
  {
    that: 'logs JSON on stdout',
    habit: 'logs-json-on-stdout',
    expected: old(),
    asked: PROBED,
    notes: ['starting', 'answered'].map(
      (message) => `noise: {"@timestamp":"2031-01-01T00:00:00Z","log.level":"info","message":"${message}","id":7}`,
    ),
  },
  { that: 'ends lines as Windows does', habit: 'crlf', expected: old(), asked: PROBED },
  { that: 'begins with a byte order mark', habit: 'mark-at-the-start', expected: old(), asked: PROBED },
  { that: 'begins every line with one', habit: 'mark-on-every-line', expected: old(), asked: PROBED },
  { that: 'has blanks around its lines', habit: 'blanks-around', expected: old(), asked: PROBED },
  { that: 'escapes everything, as Python does', habit: 'escapes-everything', expected: old(), asked: PROBED },
  { that: 'writes byte by byte', habit: 'byte-by-byte', expected: old(), asked: PROBED },
  {
    that: 'gives back what it reads, as a terminal does',
    habit: 'echoes-what-it-reads',
    expected: old(),
    asked: PROBED,
    notes: ['oddity: it echoes what it is sent; a terminal in between (docker run -t, ssh -t) does that: leave out -t'],
    notifications: ['notifications/initialized'],
  },
  {
    that: 'spreads its messages over several lines',
    habit: 'over-several-lines',
    expected: { code: 'bad-answer', message: /initialize .* spread over several lines/u },
    asked: [['server/discover', 'initialize']],
    notes: 'any',
  },
];

const timing: readonly StdioCase[] = [
  { that: 'takes 2 s to start', habit: 'starts-slowly', expected: old(), asked: PROBED },
  {
    that: 'takes longer to start than its silence is waited for',
    habit: 'starts-very-slowly',
    expected: old(),
    asked: PROBED,
    silences: 1,
  },
  {
    that: 'takes as long, and is of the new era',
    habit: 'starts-very-slowly-and-is-new',
    expected: NEW_ONE,
    asked: [['server/discover', 'initialize']],
    silences: 1,
  },
  {
    that: 'answers the question of the new era when it is greeted already',
    habit: 'answers-late-and-is-new',
    expected: NEW_ONE,
    asked: [['server/discover', 'initialize']],
    silences: 1,
  },
  {
    that: 'first refuses the greeting and then answers that question',
    habit: 'refuses-before-it-answers-and-is-new',
    expected: NEW_ONE,
    asked: [['server/discover', 'initialize']],
    silences: 1,
  },
  {
    that: 'refuses that question when it is greeted already',
    habit: 'refuses-late',
    expected: old(),
    asked: PROBED,
    silences: 1,
  },
  {
    that: 'speaks before it is spoken to',
    habit: 'speaks-before-it-is-greeted',
    expected: old(),
    asked: PROBED,
    notifications: LOGS,
  },
  {
    that: 'logs during the handshake',
    habit: 'logs-during-the-handshake',
    expected: old(),
    asked: PROBED,
    notifications: LOGS,
  },
  {
    that: 'pings and waits for that before it answers',
    habit: 'pings-before-it-answers',
    expected: old('2025-06-18'),
    asked: [['server/discover', 'initialize', 'answer', 'notifications/initialized']],
  },
  {
    that: 'asks for roots and waits for that before it answers',
    habit: 'asks-for-roots-before-it-answers',
    expected: old('2025-06-18'),
    asked: [['server/discover', 'initialize', 'answer', 'notifications/initialized']],
  },
  {
    that: 'pings before it is asked anything',
    habit: 'pings-before-it-is-asked',
    expected: old(),
    asked: [['server/discover', 'answer', ...HANDSHAKE]],
  },
];

const eras: readonly StdioCase[] = [
  { that: 'is of the new era', habit: 'new', expected: NEW_ONE, asked: [['server/discover']] },
  {
    that: 'speaks both and keeps to the first it hears',
    habit: 'both',
    expected: NEW_ONE,
    asked: [['server/discover']],
  },
  {
    that: 'speaks both and is to be greeted',
    habit: 'both',
    era: 'legacy',
    expected: old(),
    asked: [HANDSHAKE],
  },
  {
    that: 'is of the new era, as its entry says',
    habit: 'new-and-knows-no-greeting',
    era: 'modern',
    expected: NEW_ONE,
    asked: [['server/discover']],
  },
  {
    that: 'is not of the new era, although its entry says so',
    habit: 'method-not-found',
    era: 'modern',
    expected: { code: 'unsupported', message: /"odd" does not answer in protocol 2026-07-28.*-32601/u },
    asked: [['server/discover']],
  },
  { that: 'offers only older versions', habit: 'offers-old-ones', expected: old(), asked: PROBED },
  {
    that: 'offers a version of the future and an older one',
    habit: 'offers-an-unknown-and-an-old-one',
    expected: old(),
    asked: PROBED,
  },
  {
    that: 'offers only versions of the future',
    habit: 'offers-unknown-ones',
    expected: { code: 'unsupported', message: /2027-01-15, 2028-02-16/u },
    asked: [['server/discover']],
  },
  { that: 'refuses the version and offers none', habit: 'offers-none', expected: old(), asked: PROBED },
  { that: 'refuses the version and offers nonsense', habit: 'offers-nonsense', expected: old(), asked: PROBED },
  {
    that: 'refuses the version that it offers, once',
    habit: 'offers-new-once',
    expected: NEW_ONE,
    asked: [['server/discover', 'server/discover']],
  },
  {
    that: 'refuses the version that it offers, again and again',
    habit: 'offers-new-for-ever',
    expected: { code: 'server-error', message: /-32022/u },
    asked: [['server/discover', 'server/discover']],
  },
  { that: 'discovers only older versions', habit: 'discovers-old-ones', expected: old(), asked: PROBED },
  {
    that: 'discovers only versions of the future',
    habit: 'discovers-unknown-ones',
    expected: { code: 'unsupported', message: /protocol 2027-01-15, which Plugboard does not know/u },
    asked: [['server/discover']],
  },
  {
    that: 'misses a capability in the terms of the new era and knows no greeting',
    habit: 'misses-a-capability',
    expected: { code: 'server-error', message: /-32021: Client must support sampling/u },
    asked: [['server/discover', 'initialize']],
  },
];

/** The slowest first, because several cases run at a time. */
export const stdioCases: readonly StdioCase[] = [...timing, ...refusals, ...shapes, ...lines, ...eras];
