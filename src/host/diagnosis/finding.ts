import type { ConfigFinding } from '../../config/doctor/doctor.js';
import type { FailureCode } from './failure-code.js';

/** One problem that `doctor` reports: what, why and what to do. Contains no secret. */
export interface Finding {
  readonly server?: string;
  readonly severity: ConfigFinding['severity'];
  readonly code: FindingCode;
  readonly message: string;
  /** What to do, preferably a command to paste. */
  readonly hint: string;
  /** The system's or the server's own words. */
  readonly cause?: string;
  /** The last lines of the server's stderr. */
  readonly stderr?: string;
  /** The file of the server's entry, and the line of the field to correct. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export type FindingCode = ConfigFinding['code'] | FailureCode | LiveCode | MachineCode;

/** Problems of a server that is running. */
export type LiveCode =
  | 'unmatched-rule' // a rule, or a mode for a server, matches nothing that is known
  | 'unmatched-matcher' // the matcher of a hook matches nothing that is known
  | 'lock-drift' // the server differs from its pins in mcp.lock
  | 'bad-schema' // some of the server's tools cannot be used
  | 'answer-too-large' // a list of the server is too long, and was not read to its end
  | 'odd-list' // a list breaks a rule of the protocol, and is used as far as possible
  | 'list-failed' // the server declares a list and does not return it
  | 'not-settled'; // the deadline passed before everything was listed

/** Problems of this machine that show only when it is tried. */
export type MachineCode =
  | 'keychain' // the system's keychain cannot be used
  | 'callback-port' // another program uses the fixed port of a sign-in
  | 'npx-cache'; // npx has a damaged copy of a server's package

/** The field of a server's entry that a problem is about; undefined where there is none. */
export function fieldOf(code: FindingCode): string | undefined {
  if (code.startsWith('sandbox-')) return 'sandbox';
  return Object.keys(FIELDS).find((field) => FIELDS[field]!.includes(code));
}

const FIELDS: Readonly<Record<string, readonly FindingCode[]>> = {
  command: ['command-not-found', 'start-failed', 'exited', 'stdout-noise', 'wrong-framing', 'runs-twice'],
  args: ['npx-cache'],
  cwd: ['no-folder'],
  env: ['shared-secret', 'readable-secret'],
  url: ['connection-refused', 'dns', 'unreachable', 'connect-timeout', 'no-endpoint', 'tls-wrong-host', 'http-error'],
  tls: ['tls-untrusted', 'tls-client-certificate'],
  headers: ['needs-auth', 'forbidden'],
  era: ['wrong-era'],
  oauth: ['sign-in-failed', 'callback-port'],
};
