import type { ConfigFinding } from '../../config/doctor/doctor.js';
import type { FailureCode } from './failure-code.js';

/** One thing that doctor has to say: what, why and what to do. Nothing in it is a secret. */
export interface Finding {
  readonly server?: string;
  readonly severity: ConfigFinding['severity'];
  readonly code: FindingCode;
  readonly message: string;
  /** A thing to do, best a command to paste. */
  readonly hint: string;
  /** What the system or the server said, as it said it. */
  readonly cause?: string;
  /** The last lines of its stderr. */
  readonly stderr?: string;
  /** The file of its entry, and the line of the field that is to be mended. */
  readonly file?: string;
  readonly line?: number;
}

export type FindingCode = ConfigFinding['code'] | FailureCode | LiveCode;

/** What is odd about a server that runs. */
export type LiveCode =
  | 'unmatched-rule' // a rule, or a mode for a server, means nothing that is known
  | 'unmatched-matcher' // so does the matcher of a hook
  | 'lock-drift' // it is not what mcp.lock pins
  | 'bad-schema' // some of its tools cannot be used
  | 'odd-list' // a list of it breaks a rule, and is used as far as it goes
  | 'list-failed' // it declares a list and does not give it
  | 'not-settled'; // time was up before all of it was known

/** Which field of a server's entry is to be looked at; undefined where it is none. */
export function fieldOf(code: FindingCode): string | undefined {
  if (code.startsWith('sandbox-')) return 'sandbox';
  return Object.keys(FIELDS).find((field) => FIELDS[field]!.includes(code));
}

const FIELDS: Readonly<Record<string, readonly FindingCode[]>> = {
  command: ['command-not-found', 'start-failed', 'exited', 'stdout-noise', 'wrong-framing'],
  cwd: ['no-folder'],
  env: ['shared-secret', 'readable-secret'],
  url: ['connection-refused', 'dns', 'unreachable', 'connect-timeout', 'no-endpoint', 'tls-wrong-host', 'http-error'],
  tls: ['tls-untrusted', 'tls-client-certificate'],
  headers: ['needs-auth', 'forbidden'],
  era: ['wrong-era'],
  oauth: ['sign-in-failed'],
};
