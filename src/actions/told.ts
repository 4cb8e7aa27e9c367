import type { ErrorCode } from '../base/error-codes.js';
import type { HostError } from '../base/errors.js';
import type { ApprovalRequest } from '../config/approval/approve.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { LedgerRecord } from '../guard/ledger-read.js';
import type { TracedMessage } from '../connection/logs/message-trace.js';
import type { Finding } from '../host/diagnose.js';
import type { ServerState } from '../host/servers/server-state.js';
import type { ScreenImage } from '../model/screen-image.js';
import type { UseValue } from '../model/value/server-value.js';
import type { StatusSpan } from './servers/server-status.js';

export type { ApprovalRequest, TracedMessage };

/** The result of an action for a person. Safe to show: free of terminal control sequences. */
export interface Told {
  readonly tone: 'done' | 'note' | 'failed';
  readonly parts: readonly ToldPart[];
  /** Shown beside the answer: on stderr for a command line. */
  readonly notes?: readonly ToldNote[];
  /** A failure as outcome, for the exit code. `unhealthy`: of a server; `different`: a comparison found changes. */
  readonly code?: ErrorCode | 'unhealthy' | 'different' | undefined;
  /** Everything was shown already, as progress. */
  readonly isStreamed?: boolean;
  /** Shown like any other error, after the parts; `json` includes it. */
  readonly error?: HostError | undefined;
}

/** A note for the user. Errors and warnings that have a hint come in parts, which each face draws as it draws errors. */
export type ToldNote = string | ToldProblem;

export interface ToldProblem {
  readonly severity: 'error' | 'warning';
  readonly text: string;
  readonly cause?: string | undefined;
  readonly stderr?: string | undefined;
  readonly hint?: string | undefined;
}

/** A server and its current state. */
export interface ServerAsOf {
  readonly server: ConfiguredServer;
  readonly state: ServerState;
  /** The command that it starts or the URL that it reaches, masked. */
  readonly target: string;
}

/** A piece of output that each face draws its own way. */
export type ToldPart =
  /** One line of our own text. */
  | { readonly kind: 'sentence'; readonly text: string }
  /** One line of our own text that a screen may wrap, partly coloured. */
  | { readonly kind: 'line'; readonly spans: readonly StatusSpan[] }
  /** What the user can do; a command in it is not broken across lines. */
  | { readonly kind: 'hint'; readonly text: string }
  /** Text from a file or a server. */
  | { readonly kind: 'quote'; readonly lines: readonly string[] }
  /** Extra information for a person at a screen; scripts have the exit code or JSON. */
  | { readonly kind: 'aside'; readonly text: string; readonly isFailure?: true }
  /** Everything that a server sent; a face may shorten it. */
  | { readonly kind: 'text'; readonly text: string }
  /** Images of a result, checked, for a terminal that draws them; the text names their files. */
  | { readonly kind: 'images'; readonly images: readonly ScreenImage[] }
  /** Names with descriptions, below a heading. */
  | { readonly kind: 'table'; readonly heading: string; readonly rows: readonly ToldRow[] }
  /** Files that were changed. */
  | { readonly kind: 'edits'; readonly files: readonly string[] }
  | ({ readonly kind: 'server' } & ServerAsOf)
  /** All servers in order, and why some of them do not run as they should. */
  | {
      readonly kind: 'servers';
      readonly servers: readonly Omit<ServerAsOf, 'target'>[];
      readonly causes: readonly Finding[];
    }
  /** What is wrong, what to do about it, and a summary. */
  | {
      readonly kind: 'findings';
      readonly findings: readonly Finding[];
      /** `idle`: no server may run, so there is nothing to be well or ill. */
      readonly health: 'well' | 'ill' | 'idle';
      readonly summary: string;
    }
  /** Everything that approving a server of this project would allow. */
  | { readonly kind: 'request'; readonly request: ApprovalRequest }
  /** What a server wrote to stderr, and the log file. */
  | { readonly kind: 'log'; readonly lines: readonly string[]; readonly file: string }
  | { readonly kind: 'calls'; readonly calls: readonly LedgerRecord[] }
  /** Tokens, calls and times of servers or of tools. */
  | { readonly kind: 'values'; readonly of: 'server' | 'tool'; readonly values: readonly ToldValue[] }
  /** Messages between the host and servers. */
  | { readonly kind: 'messages'; readonly messages: readonly TracedMessage[] };

/** A row of a table of values. */
export interface ToldValue extends UseValue {
  readonly name: string;
  /** Tokens that each turn takes; undefined: not told. */
  readonly turn: number | undefined;
  readonly toldTurns: number;
  /** Turns that changes would have had read again; undefined for a tool. */
  readonly breaks: number | undefined;
  /** Costs more than it brings. */
  readonly isCostly: boolean;
}

/** `resource`: the resource that the name is the URI of, which a session mentions in its own way. */
export type ToldRow = readonly [
  name: string,
  about: string,
  resource?: { readonly server: string; readonly uri: string },
];

/** One function per kind of part, so that a new kind does not compile until every face draws it. */
export type Drawing = {
  readonly [Kind in ToldPart['kind']]: (part: Extract<ToldPart, { readonly kind: Kind }>) => readonly string[];
};

export function draw(parts: readonly ToldPart[], drawing: Drawing): string[] {
  return parts.flatMap((part) => (drawing[part.kind] as (part: ToldPart) => readonly string[])(part));
}

/** `drawn`: how a face draws a problem. */
export function noteLines(
  notes: readonly ToldNote[] = [],
  drawn: (problem: ToldProblem) => readonly string[] = plainLines,
): string[] {
  return notes.flatMap((note) => (typeof note === 'string' ? [note] : drawn(note)));
}

function plainLines({ severity, text, cause, hint }: ToldProblem): readonly string[] {
  return [
    `${severity}: ${text}`,
    ...(cause === undefined ? [] : [`  because ${cause}`]),
    ...(hint === undefined ? [] : [`  → ${hint}`]),
  ];
}
