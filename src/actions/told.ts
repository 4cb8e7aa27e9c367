import type { ErrorCode, HostError } from '../base/errors.js';
import type { ApprovalRequest } from '../config/approval/approve.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { LedgerRecord } from '../guard/ledger-read.js';
import type { Finding } from '../host/diagnose.js';
import type { ServerState } from '../host/servers/server-state.js';
import type { StatusSpan } from './servers/server-status.js';

export type { ApprovalRequest };

/** What a person is told of what came of an action. Fit to be shown: nothing in it that a terminal would obey. */
export interface Told {
  readonly tone: 'done' | 'note' | 'failed';
  readonly parts: readonly ToldPart[];
  /** Beside the answer: stderr on a command line. */
  readonly notes?: readonly ToldNote[];
  /** A failure that is an outcome: the exit code, and the status of an API, follow from it. `unhealthy`: of what was looked at; `different`: of what was compared. */
  readonly code?: ErrorCode | 'unhealthy' | 'different' | undefined;
  /** All of it was told while it came, as progress. */
  readonly isStreamed?: boolean;
  /** Told as any other error, after the parts; JSON has it among its data. */
  readonly error?: HostError | undefined;
}

/** What is wrong in a file has its severity, for faces with colours. */
export type ToldNote =
  | string
  | { readonly severity: 'error' | 'warning'; readonly text: string; readonly hint: string };

/** A server, and how it is at this moment. */
export interface ServerAsOf {
  readonly server: ConfiguredServer;
  readonly state: ServerState;
  /** What it starts or reaches, masked. */
  readonly target: string;
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
  | ({ readonly kind: 'server' } & ServerAsOf)
  /** How all of them are, in their order, below where they are defined. `isAsked`: servers were asked themselves. */
  | {
      readonly kind: 'servers';
      readonly servers: readonly (ServerAsOf & { readonly place: string })[];
      readonly isAsked: boolean;
    }
  /** What is wrong, what to do about it, and what it comes to. */
  | {
      readonly kind: 'findings';
      readonly findings: readonly Finding[];
      readonly isWell: boolean;
      readonly summary: string;
    }
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

/** `word`: how a face writes what a problem is. */
export function noteLines(
  notes: readonly ToldNote[] = [],
  word: (severity: 'error' | 'warning') => string = String,
): string[] {
  return notes.flatMap((note) =>
    typeof note === 'string' ? [note] : [`${word(note.severity)} ${note.text}`, `  ${note.hint}`],
  );
}
