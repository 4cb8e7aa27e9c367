import type { Mode } from '../../../src/testing/mode.js';
import type { Era } from './watched-client.js';

/** What is otherwise behind a gateway than the kit expects of a host by itself, and rightly so. */
export interface Difference {
  /** The server keeps what one client did, so the next one comes after it. */
  readonly isAlone?: true;
  /** What the call fails with, for clients of this era or both. */
  readonly call?: { readonly says: RegExp; readonly era?: Era };
  /** Why the server cannot be reached. */
  readonly reason?: RegExp;
  /** What the call is answered with. */
  readonly answers?: RegExp;
  /** What the call after it fails with. */
  readonly next?: RegExp;
  /** How often each client has the server called at most. */
  readonly calls?: number;
  /** The modern client has enough in the end: the gateway passes on as many rounds as a client wants. */
  readonly isEndless?: true;
  /** Tools that have another name. */
  readonly renamed?: readonly string[];
}

const ROUNDS: Difference = { isEndless: true, calls: 31 };
const REFUSED: Difference = { next: /401/u }; // the whole server wants a sign-in from then on

const differences: Readonly<Record<string, Difference>> = {
  // Only visible characters arrive.
  'json-line-separators': { answers: /^survived\na\nb\nc$/u },
  'list-norm-collision': { renamed: ['a b'] },
  // What is a result with isError is the server's own, of whatever size.
  'content-is-error': { call: { says: /^survived/u } },
  // What a server wrote to stderr before it ended is for the user alone: `plugboard doctor`.
  'proc-exit-start': { reason: /exited with code 3/u },
  'proc-cause-first': { reason: /exited with code 7/u },
  // Nobody can be asked: these clients declare no questions.
  'list-needs-user': { call: { says: /wants every call of it confirmed/u } },
  'status-401-loop': REFUSED,
  'post-401': REFUSED,
  // Made again: the server has said that it did nothing.
  'post-429': { calls: 6 },
  'mark-values': { call: { says: /Header mismatch/u, era: 'modern' } }, // this client repeats no arguments in headers
  'rounds-endless': ROUNDS,
  'rounds-growing': ROUNDS,
  'rounds-idle': { ...ROUNDS, isAlone: true },
  'state-exact': { isAlone: true },
  'sse-resume': { isAlone: true },
};

/** Modes of several channels share the name of the stdio one. */
export function differenceOf({ name }: Mode): Difference {
  return differences[name] ?? differences[name.replace(/^(?:http|sse-legacy|ws)-/u, '').replace(/^modern-/u, '')] ?? {};
}
