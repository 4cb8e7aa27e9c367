import type { HostError } from '../base/errors.js';
import type { JsonDocument, JsonPath } from './document.js';
import { placeFields } from './text-place.js';

/** A problem in the configuration, with what is needed to find and repair it. */
export interface Problem {
  /** `error`: what has the problem is not used. `warning`: it is used all the same. */
  readonly severity: 'error' | 'warning';
  /** For programs, to tell problems apart without reading `message`. */
  readonly code: ProblemCode;
  /** The path of the file, or a flag such as `--mcp-config` for the command line. */
  readonly file: string;
  /** Counted from 1. Absent where the problem is of the whole file, or of no file. */
  readonly line?: number;
  /** Counted from 1, in the line. */
  readonly column?: number;
  /** The server whose entry has the problem; absent where the problem is of the file. */
  readonly server?: string;
  /** The path to the field from the top of the entry or file: `env.TOKEN`, `args[2]`. */
  readonly field?: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** What kind of problem a configuration has. */
export type ProblemCode =
  | 'unreadable'
  | 'malformed' // not JSON, even with comments
  | 'bad-argument' // a flag of this run: nothing may start from a mistyped one
  | 'duplicate-key'
  | 'invalid-entry'
  | 'unknown-field'
  | 'odd-value'
  | 'reserved-name'
  | 'missing-variable'
  | 'policy-closed'
  | 'ignored-file'
  | 'ignored-field'
  | 'unused-mode' // wider than the run may have
  | 'connectors'
  | 'odd-variable' // an environment variable
  | 'approvals';

export function toProblem(error: HostError, file: string): Problem {
  return {
    severity: 'error',
    code: error.code === 'config-invalid' ? 'malformed' : 'unreadable',
    file,
    message: error.message,
    hint: error.hint ?? `Look at ${file}`,
  };
}

/** A problem with the value at `path` of a document. */
export async function problemAt(
  document: JsonDocument,
  path: JsonPath,
  message: string,
  hint: string,
): Promise<Problem> {
  const place = await document.placeOf(path);
  const field = path.join('.');
  return {
    severity: 'error',
    code: 'malformed',
    file: document.file,
    ...placeFields(place),
    field,
    message,
    hint,
  };
}

export function toFieldPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}
