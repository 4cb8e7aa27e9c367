/**
 * What a correct host does with a mode. The checker connects, lists the tools, calls `attack`, `echo` and `report`, and
 * closes, in this order; a mode's `setup` adds to this. For every mode:
 * - calls to a healthy server beside this one succeed throughout, and the host's event loop does not stall;
 * - memory grows by less than 64 MB, and 5 s after the end no process is left;
 * - an error names the server and the cause in at most 4 KB, without control characters and invisible characters;
 * - no result contains FORGED, Object.prototype stays unchanged, and `strayed` is 0: no request reaches the trap;
 * - text for a model has no invisible characters, and files are written only into the host's own folder.
 * For a server that wants a sign-in, the checker starts one, fetches the page that the host shows without following its
 * redirect, and gives the host the address of that redirect; the steps above follow. No text contains SECRET or a
 * credential that the host has sent.
 */
export type Expectation = Refused | Connected | SignInWanted;

/** The host does not connect, and ends whatever process it started for the connection. */
export interface Refused {
  readonly connect: Failure;
  /** How often the server may see each request; checked only for servers with a URL, not over stdio. */
  readonly counts: readonly Count[];
}

/** A server that the host has to connect to, and what follows. */
export interface Connected {
  readonly connect: 'ok';
  readonly list: ListOutcome;
  readonly call: CallOutcome;
  readonly next: NextOutcome;
  /** How often the server may see each request. Without an entry for `tools/call attack`: exactly once. */
  readonly counts: readonly Count[];
  /** How many notifications about changes reach the host's listener, for a mode with `watches`. */
  readonly told?: Bounds;
  /** What a model may see, for a host that makes calls for a model. */
  readonly shown?: Shown;
  /** The outcome for a user who fills in every form and agrees to every page that the host shows. */
  readonly eager?: Eager;
}

/** The outcome of an elicitation. The user sees at most 2,000 characters of its message, none of them invisible. */
export interface Eager {
  /** Matches the result of `attack`, which repeats the host's response: `answer JSON` or `error CODE`. */
  readonly heard: RegExp;
  /** How many forms and pages the user is shown. */
  readonly asked: Bounds;
}

/** The server refuses every request until the host has signed in. */
export interface SignInWanted {
  readonly connect: 'sign-in';
  readonly signIn: SignInOutcome;
  /** Expected after a sign-in that succeeds. */
  readonly afterwards?: Pick<Connected, 'list' | 'call' | 'next'>;
  /** How often the server and its authorization server may see each request. */
  readonly counts: readonly Count[];
}

/** What has to become of a sign-in. */
export type SignInOutcome =
  | { readonly kind: 'signs-in'; readonly when: When }
  /** `page`: whether the user was shown the sign-in page. The host must find earlier faults before it shows one. */
  | (Failure & { readonly page: 'seen' | 'unseen' })
  /** The host may sign in in spite of the fault, or fail with an error that matches. */
  | { readonly kind: 'ends'; readonly error: RegExp; readonly when: When };

/** What a model sees in the end, through any model API: the result of `attack`, and the tools. */
export interface Shown {
  /** The texts of the result together match all of `says` and none of `lacks`. */
  readonly says: readonly RegExp[];
  readonly lacks: readonly RegExp[];
  /** The most characters that the texts of the result may have. */
  readonly most: number;
  readonly pictures: number;
  /** How many files the host has saved the rest of the result to. */
  readonly saved: Bounds;
  /** Matches the host's notes about the result. */
  readonly notes: RegExp;
  /** Tools that the model is offered, and tools that it is not; named as the server spells them. */
  readonly offers: readonly string[];
  readonly withholds: readonly string[];
}

/** How long a step may take. The deadline is the timeout that the host has set for the step. */
export type When =
  /** As soon as the last relevant byte has arrived. */
  | 'at once'
  /** Before the deadline: there is much to read or write first, or a process has to end. */
  | 'in time'
  /** The deadline ends the step, neither earlier nor much later. */
  | 'at the deadline'
  /** At the deadline at the latest; earlier is better. */
  | 'by the deadline';

/** The host has to fail, and say why. */
export interface Failure {
  readonly kind: 'fails';
  /** Matches the error's message and hint. */
  readonly text: RegExp;
  readonly when: When;
}

/** What has to become of listing the tools. */
export type ListOutcome =
  | {
      readonly kind: 'lists';
      /** Names of tools, as the server spells them. */
      readonly has: readonly string[];
      readonly lacks: readonly string[];
      readonly most: number;
      readonly when: When;
    }
  | Failure;

/** What has to become of the call that a mode attacks. */
export type CallOutcome =
  | {
      readonly kind: 'answers';
      /** Matches the first text block of the result. */
      readonly text: RegExp;
      readonly when: When;
    }
  | Failure
  /** The call ends with a result that matches `text`, or with an error that matches `error`. */
  | { readonly kind: 'ends'; readonly text: RegExp; readonly error: RegExp; readonly when: When }
  /** `attack` is not called: the mode misbehaves before. */
  | { readonly kind: 'untried' };

/** The outcome of the healthy call, to `echo`, that follows `attack`. */
export type NextOutcome =
  /** Answered, over the same connection. */
  | 'ok'
  /** The server is gone: the call fails in time and says so. */
  | 'lost'
  /** The server runs, but does not read or answer: the call fails by the deadline. */
  | 'unanswered'
  /** The sign-in is no longer valid: the call fails at once and says so. */
  | 'signed-out'
  /** The obstacle is temporary: the call succeeds or fails, and the user does not have to sign in again. */
  | 'delayed';

/** A number that may lie between two others, both included. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** How often a server may see something. */
export interface Count extends Bounds {
  /**
   * A JSON-RPC or HTTP method, `tools/call NAME`, a response of the host (`answer`, `error CODE`), or a mode's count.
   */
  readonly what: string;
}

/** The text of a healthy result of `attack`. */
export const HONEST = 'survived';
/** Marks every forged answer: a host must accept none of them. */
export const FORGED = 'FORGED';
/** Characters that a terminal obeys, or does not show. */
export const EVIL = '\u001b[2J\u202e\u{e0041}\u009b31m ';

/** The prefix of every code and token of a server that wants a sign-in: a text that contains it is a leak. */
export const SECRET = 'plugboard-attack-secret';

/** Matches an error about a deadline. */
export const TIMED_OUT = /within|timed? ?out|deadline/iu;

/** The tools that most hostile servers list. */
export const usualTools: readonly string[] = ['echo', 'attack', 'report'];

/** `when` is not 'at once' by default: a process or a connection has to start first. */
export function refused(text: RegExp, when: When = 'in time', counts: readonly Count[] = []): Refused {
  return { connect: fails(text, when), counts };
}

/** The expectation for a server that misbehaves only when `attack` is called. */
export function called(call: CallOutcome, rest: Partial<Connected> = {}): Connected {
  return { connect: 'ok', list: lists(), call, next: 'ok', counts: [], ...rest };
}

/** The expectation for a server that misbehaves earlier: in its handshake or its lists. */
export function listed(list: ListOutcome, rest: Partial<Connected> = {}): Connected {
  return called(answers(), { list, ...rest });
}

/** The expectation for a server that wants a sign-in. By default every later step succeeds. */
export function signsIn(afterwards: Partial<Connected> = {}, when: When = 'in time'): SignInWanted {
  const { list = lists(), call = answers('in time'), next = 'ok', counts = [] } = afterwards;
  return { connect: 'sign-in', signIn: { kind: 'signs-in', when }, afterwards: { list, call, next }, counts };
}

/** The expectation for a sign-in that fails; by default before the user is shown a page. */
export function signInFails(
  text: RegExp,
  { page = 'unseen', when = 'in time', counts = [] }: SignInFailing = {},
): SignInWanted {
  return { connect: 'sign-in', signIn: { ...fails(text, when), page }, counts };
}

export interface SignInFailing {
  readonly page?: 'seen' | 'unseen';
  readonly when?: When;
  readonly counts?: readonly Count[];
}

/** The expectation for a sign-in that succeeds, or fails with an error that matches. */
export function signInEnds(error: RegExp, counts: readonly Count[] = []): SignInWanted {
  return { ...signsIn({ counts }), signIn: { kind: 'ends', error, when: 'in time' } };
}

export function fails(text: RegExp, when: When = 'at once'): Failure {
  return { kind: 'fails', text, when };
}

export function answers(when: When = 'at once', text: RegExp = new RegExp(`^${HONEST}`, 'u')): CallOutcome {
  return { kind: 'answers', text, when };
}

export function ends(error: RegExp, when: When = 'at once', text: RegExp = new RegExp(`^${HONEST}`, 'u')): CallOutcome {
  return { kind: 'ends', text, error, when };
}

export const untried: CallOutcome = { kind: 'untried' };

type Lists = Extract<ListOutcome, { kind: 'lists' }>;

export function lists(rest: Partial<Lists> = {}): Lists {
  return { kind: 'lists', has: usualTools, lacks: [], most: Infinity, when: 'in time', ...rest };
}

/** By default: the honest result, no file, no picture, and the usual tools. */
export function shown(rest: Partial<Shown> = {}): Shown {
  return {
    says: [new RegExp(HONEST, 'u')],
    lacks: [],
    most: 110_000, // about 25,000 tokens
    pictures: 0,
    saved: { least: 0, most: 0 },
    notes: /(?:)/u,
    offers: usualTools,
    withholds: [],
    ...rest,
  };
}

export function most(what: string, count: number): Count {
  return { what, least: 0, most: count };
}

export function least(what: string, count: number): Count {
  return { what, least: count, most: Infinity };
}

export function exactly(what: string, count: number): Count {
  return { what, least: count, most: count };
}
