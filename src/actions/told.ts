import type { ErrorCode, HostError } from '../base/errors.js';
import type { ApprovalRequest } from '../config/approve.js';
import type { Problem } from '../config/problem.js';
import type { ConfiguredServer } from '../config/server.js';
import type { LedgerRecord } from '../guard/ledger-read.js';
import type { ServerState } from '../host/server-state.js';
import type { StatusSpan } from './server-status.js';

/** What a person is told of what came of an action. Fit to be shown: nothing in it that a terminal would obey. */
export interface Told {
  readonly tone: 'done' | 'note' | 'failed';
  readonly parts: readonly ToldPart[];
  /** Beside the answer: stderr on a command line. */
  readonly notes?: readonly string[];
  /** What is wrong in files that it has read. */
  readonly problems?: readonly Problem[];
  /** A failure that is an outcome: the exit code, and the status of an API, follow from it. */
  readonly code?: ErrorCode | undefined;
  /** Told as any other error, after the parts; JSON has it among its data. */
  readonly error?: HostError | undefined;
  /** All of it was told while it came, as progress. */
  readonly isStreamed?: boolean;
}

/** What every face draws in its own way. */
export type ToldPart =
  /** Our own words, a line each. */
  | { readonly kind: 'sentence'; readonly text: string }
  /** The same, where a screen breaks it if it is long, and some of it has a tone. */
  | { readonly kind: 'line'; readonly spans: readonly StatusSpan[] }
  /** What to do about it: a command stays in one piece. */
  | { readonly kind: 'hint'; readonly text: string }
  /** Words of a file or a server. */
  | { readonly kind: 'quote'; readonly lines: readonly string[] }
  /** What a person at a screen wants to know beside an answer, and a script knows by the exit code or JSON. */
  | { readonly kind: 'aside'; readonly text: string; readonly isFailure?: true }
  /** What a server sent, all of it: a face cuts what nobody would read. */
  | { readonly kind: 'text'; readonly text: string }
  /** Names and what each is about, below a heading. */
  | { readonly kind: 'table'; readonly heading: string; readonly rows: readonly ToldRow[] }
  /** Files that were changed. */
  | { readonly kind: 'edits'; readonly files: readonly string[] }
  /** How a server is. */
  | { readonly kind: 'server'; readonly server: ConfiguredServer; readonly state: ServerState }
  /** All that a yes to a server of this project would mean. */
  | { readonly kind: 'request'; readonly request: ApprovalRequest }
  /** What a server has said on stderr, and where that is kept. */
  | { readonly kind: 'log'; readonly lines: readonly string[]; readonly file: string }
  /** Calls that were made. */
  | { readonly kind: 'calls'; readonly calls: readonly LedgerRecord[] };

/** `resource`: what the name is the address of, which a session mentions in its own way. */
export type ToldRow = readonly [
  name: string,
  about: string,
  resource?: { readonly server: string; readonly uri: string },
];

/** A table and not a switch: a new kind of part does not compile until every face can draw it. */
export type Drawing = {
  readonly [Kind in ToldPart['kind']]: (part: Extract<ToldPart, { readonly kind: Kind }>) => readonly string[];
};

export function draw(parts: readonly ToldPart[], drawing: Drawing): string[] {
  return parts.flatMap((part) => (drawing[part.kind] as (part: ToldPart) => readonly string[])(part));
}
