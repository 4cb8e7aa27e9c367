/**
 * What a right host makes of a mode. Whoever checks it connects, lists the tools, calls `attack`, calls `echo`, asks
 * `report` and closes, in this order; a mode's `setup` says what else. Beside what a mode spells out, always:
 * - a healthy neighbour answers throughout, and the host's event loop does not stall;
 * - memory grows by less than 64 MB, and 5 s after the end no process is left;
 * - an error names the server and the cause in at most 4 KB, without a character that a terminal obeys or does not show;
 * - no answer holds FORGED, Object.prototype stays as it was, and `strayed` is 0: nothing goes where nobody pointed;
 * - what a model gets to read holds no character that nobody sees, and files are only written into the host's own folder.
 * Where a server wants a sign-in, whoever checks begins one, asks for the page that the host shows, follows it nowhere, and hands the
 * host the address that it leads to; then all is as before. No text holds SECRET, nor what the host has sent to prove itself.
 */
export type Expectation = Refused | Connected | SignInWanted;

/** There is never a connection, and whatever was started for it is gone. */
export interface Refused {
  readonly connect: Failure;
  /** What the server may have seen by then; only one that has an address can tell. */
  readonly counts: readonly Count[];
}

export interface Connected {
  readonly connect: 'ok';
  readonly list: ListOutcome;
  readonly call: CallOutcome;
  readonly next: NextOutcome;
  /** What the server may have seen by then. Without a word about it, `attack` was asked for once. */
  readonly counts: readonly Count[];
  /** How many notes of changes reach whoever asked for them, for a mode with `watches`. */
  readonly told?: Bounds;
  /** For a host that calls for a model. */
  readonly shown?: Shown;
  /** Where somebody is there who fills in every form and agrees to every page that the host lets them see. */
  readonly eager?: Eager;
}

/** What comes of a question to the user. Its message has at most 2,000 characters by then, and none that nobody sees. */
export interface Eager {
  /** What the server hears: an answer, or an error. */
  readonly heard: RegExp;
  /** How often somebody is asked. */
  readonly asked: Bounds;
}

/** Nobody gets in who has not signed in. */
export interface SignInWanted {
  readonly connect: 'sign-in';
  readonly signIn: SignInOutcome;
  /** What comes afterwards, for a host that is signed in then. */
  readonly afterwards?: Pick<Connected, 'list' | 'call' | 'next'>;
  /** What the server and its authorization server may have seen by then. */
  readonly counts: readonly Count[];
}

export type SignInOutcome =
  | { readonly kind: 'signs-in'; readonly when: When }
  /** `page`: whether somebody has been shown one by then. What is wrong before is to be found before. */
  | (Failure & { readonly page: 'seen' | 'unseen' })
  /** Both are right: to get around it, or an error that says this. */
  | { readonly kind: 'ends'; readonly error: RegExp; readonly when: When };

/** What a model gets to see in the end: of the answer to `attack`, and of the tools, whatever API it is behind. */
export interface Shown {
  /** The texts of the answer together say all of these, and none of those. */
  readonly says: readonly RegExp[];
  readonly lacks: readonly RegExp[];
  /** How many characters they have at most. */
  readonly most: number;
  readonly pictures: number;
  /** How many files the host has put the rest into. */
  readonly saved: Bounds;
  /** What the host remarks beside it. */
  readonly notes: RegExp;
  /** Tools that the model is told of, and those that it is not; as the server spells them. */
  readonly offers: readonly string[];
  readonly withholds: readonly string[];
}

/** How long something may take: `deadline` is the one that the host itself set for the step. */
export type When =
  /** As soon as the last byte that matters is there. */
  | 'at once'
  /** Before the deadline: much has to be read first, or written, or a process to end. */
  | 'in time'
  /** The deadline ends it, and neither earlier nor much later. */
  | 'at the deadline'
  /** Earlier is better, the deadline is enough. */
  | 'by the deadline';

export interface Failure {
  readonly kind: 'fails';
  /** What the error has to say. */
  readonly text: RegExp;
  readonly when: When;
}

export type ListOutcome =
  | {
      readonly kind: 'lists';
      /** As the server spells them. */
      readonly has: readonly string[];
      readonly lacks: readonly string[];
      readonly most: number;
      readonly when: When;
    }
  | Failure;

export type CallOutcome =
  | {
      readonly kind: 'answers';
      /** What the first block of text says. */
      readonly text: RegExp;
      readonly when: When;
    }
  | Failure
  /** Both are right, but one of them it must be: this answer, or an error that says this. */
  | { readonly kind: 'ends'; readonly text: RegExp; readonly error: RegExp; readonly when: When }
  /** The mode does its work earlier. */
  | { readonly kind: 'untried' };

/** The healthy call behind it. */
export type NextOutcome =
  /** Answered, over the same connection. */
  | 'ok'
  /** The server is gone: the call fails in time and says so. */
  | 'lost'
  /** The server is there and deaf: the call fails by the deadline. */
  | 'unanswered'
  /** The sign-in holds no longer: the call fails at once and says so. */
  | 'signed-out'
  /** What stands in the way passes: the call is answered or fails, and nobody has to sign in again because of it. */
  | 'delayed';

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export interface Count extends Bounds {
  /** A method, `tools/call NAME`, an HTTP method, `answer` or `error CODE` for what the host answered. */
  readonly what: string;
}

/** What an honest answer to `attack` says. */
export const HONEST = 'survived';
/** Stands in whatever no host may believe. */
export const FORGED = 'FORGED';
/** What a terminal would obey, or not show. */
export const EVIL = '\u001b[2J\u202e\u{e0041}\u009b31m ';

/** Begins every code and token of a server that wants a sign-in: whoever finds it in a text has found a leak. */
export const SECRET = 'plugboard-attack-secret';

/** How an error speaks of a deadline. */
export const TIMED_OUT = /within|timed? ?out|deadline/iu;

export const usualTools: readonly string[] = ['echo', 'attack', 'report'];

/** Whatever it was started for has to start first, so that nothing here is at once. */
export function refused(text: RegExp, when: When = 'in time', counts: readonly Count[] = []): Refused {
  return { connect: fails(text, when), counts };
}

/** A server that is only bad when `attack` is called. */
export function called(call: CallOutcome, rest: Partial<Connected> = {}): Connected {
  return { connect: 'ok', list: lists(), call, next: 'ok', counts: [], ...rest };
}

/** A server that is bad before: in its handshake or its lists. */
export function listed(list: ListOutcome, rest: Partial<Connected> = {}): Connected {
  return called(answers(), { list, ...rest });
}

/** A server that wants a sign-in, with everything well afterwards unless it is said. */
export function signsIn(afterwards: Partial<Connected> = {}, when: When = 'in time'): SignInWanted {
  const { list = lists(), call = answers('in time'), next = 'ok', counts = [] } = afterwards;
  return { connect: 'sign-in', signIn: { kind: 'signs-in', when }, afterwards: { list, call, next }, counts };
}

/** A sign-in that comes to nothing, before anybody is shown a page unless it is said. */
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

/** A sign-in that may succeed, or fail with this. */
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

/** Unless it says otherwise: the honest answer, no file and no picture, and the usual tools. */
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
