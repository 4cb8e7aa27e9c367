import type { HostEvents } from '../../index.js';

/** A note for the user, to follow the server's name; undefined where there is nothing to do about it. */
export function noteText({ kind, text, status }: Omit<HostEvents['note'], 'server'>): string | undefined {
  if (kind === 'noise') return `prints lines that are not messages; the first: ${text}`;
  if (kind === 'oddity') return `does something odd: ${text}`;
  return kind === 'stream-off' && status !== undefined ? `answers calls, but ${text}` : undefined;
}
