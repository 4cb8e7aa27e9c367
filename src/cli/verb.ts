import type { Invocation } from './input/arguments.js';
import type { Io } from './io.js';

/** One command. A new one is a file in verbs/ and a name in its list; help, completion and parsing follow from this. */
export interface Verb {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What stands behind the name in a usage line. */
  readonly usage: string;
  /** All of them, where it is called without its name as well. */
  readonly usages?: readonly string[];
  readonly summary: string;
  readonly options?: readonly Option[];
  /** What stands behind `--` is a server's command. For all others it is names, whatever they begin with. */
  readonly takesCommand?: boolean;
  /** How many words stand before that command at least; one unless said otherwise. */
  readonly wordsBeforeCommand?: number;
  /** What the first positional names, for completion. */
  readonly completes?: 'server' | 'tool' | 'host' | 'shell';
  /** For programs, not for people: left out of help. */
  readonly hidden?: boolean;
  readonly examples?: readonly string[];
  /** What else there is to know, a line each, for its own help. */
  readonly details?: readonly string[];
  /** Loads what it needs when it is called: `--help` must not pay for it. */
  run(invocation: Invocation, io: Io): Promise<Outcome>;
}

/** One run of the program: what was typed, and what it has of the outside. */
export interface ProgramRun {
  readonly invocation: Invocation;
  readonly io: Io;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The word for its value; a switch has none. */
  readonly value?: string;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  /** Words of other programs for one of the choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Words that mean something elsewhere and cannot be chosen here, with the sentence that says so. */
  readonly refusals?: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** What a verb answers: data for `--json`, text for people, and whether that means success. */
export interface Outcome {
  readonly data: object;
  readonly text: string;
  /** Chatter for stderr: what was done, what to know. */
  readonly notes?: readonly string[];
  readonly exitCode?: number;
  /** All of it was written while it came, a line of JSON for each with `--json`: nothing follows. */
  readonly isStreamed?: boolean;
}
