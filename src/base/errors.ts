import type { ErrorCode } from './error-codes.js';

/** What an error may have besides code and message. */
export interface HostErrorOptions {
  /** What the user can do, best a command to paste. */
  readonly hint?: string | undefined;
  /** The error behind this one, as `Error.cause`. */
  readonly cause?: unknown;
  /** Facts for programs; most errors have none. */
  readonly detail?: ErrorDetail | undefined;
}

/** Details that only some failures have. */
export type ErrorDetail =
  /** The error object of a JSON-RPC response; `message` (cut) and `data` are as the server sent them. */
  | { readonly kind: 'rpc'; readonly code: number; readonly message?: string; readonly data?: unknown }
  /** The protocol versions that a server accepts. */
  | { readonly kind: 'versions'; readonly offered: readonly string[] }
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null; readonly stderr: string }
  /** The last stderr of a server that is still running, or was until we ended it. */
  | { readonly kind: 'stderr'; readonly stderr: string }
  | {
      readonly kind: 'http';
      readonly status: number;
      /** The WWW-Authenticate header, cut. */
      readonly challenge?: string;
      /** The DPoP-Nonce header. */
      readonly nonce?: string;
      readonly retryAfterMs?: number;
      /** A model's API: the conversation is too long, in tokens as far as the API says. */
      readonly contextFull?: { readonly limit?: number; readonly tokens?: number };
    }
  /** The error code of an authorization server, where it gave one. `isTransient`: a retry may succeed. */
  | { readonly kind: 'oauth'; readonly error?: string; readonly isTransient: boolean };

/** Every failure that Plugboard names: what failed (`message`), which kind (`code`), what to do (`hint`). */
export class HostError extends Error {
  /** The kind of failure; to switch on. */
  readonly code: ErrorCode;
  /** What you can do. */
  readonly hint: string | undefined;
  /** Details that only some failures have. */
  readonly detail: ErrorDetail | undefined;

  constructor(code: ErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'HostError';
    this.code = code;
    this.hint = options.hint;
    this.detail = options.detail;
  }

  /** Where the package's documentation says what this code means and what helps. */
  get docs(): string {
    return `docs/troubleshooting.md#${this.code}`;
  }

  /** Without cause and detail, which may hold what a server sent. */
  toJSON(): { code: ErrorCode; message: string; hint?: string; docs: string } {
    const { code, message, hint, docs } = this;
    return { code, message, ...(hint !== undefined && { hint }), docs };
  }
}
