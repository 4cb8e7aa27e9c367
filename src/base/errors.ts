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
  | 'not-approved' // a server of a project that nobody has approved yet
  | 'folder-untrusted' // a server of the user's own that needs a folder which is not trusted
  | 'disabled' // a server that somebody switched off
  | 'policy-denied' // an allow or deny list says no
  | 'needs-terminal' // a person has to answer, and there is nobody to ask
  | 'write-failed' // a file could not be replaced; the old one is intact
  | 'lock-timeout' // another process holds the lock of a file for too long
  | 'fetch-failed' // a bounded HTTP request did not give an answer
  | 'url-refused' // the URL gate said no
  | 'start-failed' // a server's process could not be started
  | 'sandbox-unavailable' // a server is to run in a sandbox, and there is none to be had
  | 'connect-failed' // a server could not be reached, or refused the handshake
  | 'connect-timeout' // a server did not finish the handshake in time
  | 'connection-closed' // the connection ended while something was waiting for it
  | 'session-lost' // an HTTP server no longer knows our session
  | 'unauthorized' // an HTTP server wants us to sign in, or refuses who we are
  | 'sign-in-failed' // an authorization server gave no token, for a reason that signing in again need not mend
  | 'http-failed' // an HTTP server answered with something that is no answer
  | 'bad-answer' // an answer that breaks the protocol
  | 'answer-too-large' // an answer passes a limit: bytes, depth, values
  | 'input-failed' // a server asked something in return, and got no answer
  | 'server-error' // the server itself answered with an error
  | 'call-timeout' // no answer within the deadline
  | 'overloaded' // a server takes nothing more
  | 'unsupported' // a server or a transport lacks what was asked for
  | 'unknown-tool' // no server has a tool of that name
  | 'unknown-resource' // no server has a resource of that address, or a prompt of that name
  | 'bad-input' // what a tool was given does not fit its schema
  | 'denied' // a rule, a mode, a hook or a person said no to this call
  | 'definition-changed' // a tool is no longer what was pinned or allowed
  | 'no-model' // there is no model to talk to, or which one is not clear
  | 'model-failed' // a model's API did not answer, or refused to
  | 'cancelled'
  | 'internal';

export interface HostErrorOptions {
  /** A thing to do, best a command to paste. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly detail?: ErrorDetail | undefined;
}

/** What only some failures have, for callers that look closer. */
export type ErrorDetail =
  /** The error object of a JSON-RPC answer; `message` (cut) and `data` are as the server sent them. */
  | { readonly kind: 'rpc'; readonly code: number; readonly message?: string; readonly data?: unknown }
  /** The protocol versions that a server would take. */
  | { readonly kind: 'versions'; readonly offered: readonly string[] }
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null; readonly stderr: string }
  /** What a server that is still there, or was until we ended it, said last. */
  | { readonly kind: 'stderr'; readonly stderr: string }
  | {
      readonly kind: 'http';
      readonly status: number;
      /** The WWW-Authenticate header, cut. */
      readonly challenge?: string;
      /** The DPoP-Nonce header. */
      readonly nonce?: string;
      readonly retryAfterMs?: number;
    }
  /** The error code of an authorization server, where it gave one. `isTransient`: the same may go well a moment later. */
  | { readonly kind: 'oauth'; readonly error?: string; readonly isTransient: boolean };

export class HostError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly detail: ErrorDetail | undefined;

  constructor(code: ErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'HostError';
    this.code = code;
    this.hint = options.hint;
    this.detail = options.detail;
  }

  toJSON(): { code: ErrorCode; message: string; hint?: string } {
    return { code: this.code, message: this.message, ...(this.hint !== undefined && { hint: this.hint }) };
  }
}
