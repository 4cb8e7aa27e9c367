import { HostError } from '../../base/errors.js';

export interface Outgoing {
  /** `Server "db"`: the start of the error message. */
  readonly label: string;
  /** About how many bytes wait for the server already; `length`: the bytes of the new message. */
  readonly backlog: number;
  readonly length: number;
  readonly hint?: string;
}

/** Whether a message is not sent: see `overload`. */
export function isOverloaded(backlog: number, length: number): boolean {
  return backlog > BACKLOG_LIMIT || length > MESSAGE_LIMIT;
}

/** The error why a message is not sent: it is too large, or the backlog is full. Undefined when it may be sent. */
export function overload({ label, backlog, length, hint = RESTART }: Outgoing): HostError | undefined {
  if (backlog > BACKLOG_LIMIT) {
    return new HostError('overloaded', `${label} does not read its input: ${toMb(backlog)} MB are waiting`, { hint });
  }
  if (length <= MESSAGE_LIMIT) return undefined;
  return new HostError('overloaded', `A message of ${toMb(length)} MB is too large to be sent to a server`, {
    hint: `Send less than ${toMb(MESSAGE_LIMIT)} MB: pass a path instead of what is in the file`,
  });
}

const RESTART = 'Wait for its other calls, or restart the server';
const BACKLOG_LIMIT = 16_000_000;
const MESSAGE_LIMIT = 64_000_000; // bytes; one large argument is fine while the backlog is small

function toMb(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
