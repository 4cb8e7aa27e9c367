import type { Invocation } from './input/arguments.js';
import type { Io } from './io.js';

/** One command. A new one is a file in verbs/ and an entry in its list; help, completion and parsing follow from it. */
export interface Verb {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The arguments in a usage line. */
  readonly usage: string;
  /** All usage lines, for a verb that also runs without its name. */
  readonly usages?: readonly string[];
  readonly summary: string;
  readonly options?: readonly Option[];
  /** The words after `--` are a server's command. For other verbs they are names, even if they begin with `-`. */
  readonly takesCommand?: boolean;
  /** Words before that command at least; 1 by default. */
  readonly wordsBeforeCommand?: number;
  /** What the first positional names, for completion. */
  readonly completes?: 'server' | 'tool' | 'host' | 'shell';
  /** What the positionals after the first are: arguments of that tool, a resource of that server, or servers. */
  readonly completesRest?: 'argument' | 'resource' | 'server';
  /** For programs, not for people: not in help. */
  readonly hidden?: boolean;
  readonly examples?: readonly string[];
  /** More lines for its own help. */
  readonly details?: readonly string[];
  /** Loads what it needs only when called: `--help` must not pay for it. */
  run(invocation: Invocation, io: Io): Promise<Outcome>;
}

/** One run of the program: its command line and its streams. */
export interface ProgramRun {
  readonly invocation: Invocation;
  readonly io: Io;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The placeholder for its value; undefined for a switch. */
  readonly value?: string;
  /** The flag may stand without its value, which is then empty. */
  readonly isValueOptional?: true;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  /** Values that are taken besides the choices, and not offered: words of programs that drive this one. */
  readonly alsoTakes?: readonly string[];
  /** Other programs' words for a choice. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Values that are valid elsewhere but not here, each with its error message. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** For programs, not for people: neither in help nor in completion. */
  readonly hidden?: boolean;
  readonly summary: string;
}

/** The result of a verb: data for `--json`, text for people, and the exit code. */
export interface Outcome {
  readonly data: object;
  readonly text: string;
  /** Lines for stderr. */
  readonly notes?: readonly string[];
  readonly exitCode?: number;
  /** Everything was already written as it came, with `--json` a line of JSON each: nothing follows. */
  readonly isStreamed?: boolean;
  /** Called after everything is written. Never rejects. */
  readonly finish?: () => Promise<void>;
}
