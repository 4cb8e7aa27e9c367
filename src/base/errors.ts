/** Every failure that Plugboard names itself. Callers switch on these; texts may change, codes do not. */
export type ErrorCode =
  | 'usage' // the command line asks for something that cannot be
  | 'config-invalid' // a file or an entry says something it may not
  | 'config-unreadable' // a file cannot be read: permissions, a directory, a device
  | 'config-too-large' // a file or a document passes a limit before it is parsed
  | 'unknown-server' // nothing is configured under that name
  | 'server-exists' // that name is taken in that scope
  | 'ambiguous-server' // that name is in several scopes, and one has to be chosen
  | 'enterprise-locked' // managed-mcp.json has exclusive control
  | 'policy-denied' // an allow or deny list says no
  | 'needs-terminal' // a person has to answer, and there is nobody to ask
  | 'write-failed' // a file could not be replaced; the old one is intact
  | 'lock-timeout' // another process holds the lock of a file for too long
  | 'fetch-failed' // a bounded HTTP request did not give an answer
  | 'url-refused' // the URL gate said no
  | 'cancelled'
  | 'internal';

export interface HostErrorOptions {
  /** A thing to do, best a command to paste. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export class HostError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'HostError';
    this.code = code;
    this.hint = options.hint;
  }

  toJSON(): { code: ErrorCode; message: string; hint?: string } {
    return { code: this.code, message: this.message, ...(this.hint !== undefined && { hint: this.hint }) };
  }
}
