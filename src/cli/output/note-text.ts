import type { HostEvents } from '../../index.js';

/** What a person is told of it, going on from the server's name; undefined when nobody would do anything about it. */
export function noteText({ kind, text, status }: Omit<HostEvents['note'], 'server'>): string | undefined {
  if (kind === 'noise') return `prints what is no message; the first: ${text}`;
  if (kind === 'oddity') return `does something odd: ${text}`;
  return kind === 'stream-off' && status !== undefined ? `answers calls, but ${text}` : undefined;
}
