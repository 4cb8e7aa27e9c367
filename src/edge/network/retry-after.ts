// https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
import type { HttpHeaders } from './http-client.js';

/** Milliseconds to wait, at most a year. A date is compared with the server's own clock where it sends Date. */
export function toRetryAfter(headers: HttpHeaders): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined) return undefined;
  const wait = /^\d{1,9}$/u.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers.get('date') ?? '') || Date.now());
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}

/** When to retry, as the end of an error message and as a hint. */
export function retryAdvice(
  retryAfterMs: number | undefined,
  now: number = Date.now(),
): { text: string; hint: string } {
  if (retryAfterMs === undefined) return { text: '; it does not say when to try again', hint: 'Try again in a minute' };
  if (retryAfterMs === 0) return { text: '', hint: 'Try again' };
  if (retryAfterMs >= LONGEST_WAIT) {
    return { text: '; it says to try again in a year or later', hint: 'Ask the operator of the server' };
  }
  const at = new Date(now + retryAfterMs).toISOString();
  const day = retryAfterMs < DAY ? '' : `${at.slice(0, 10)} `;
  const when = `in ${inWords(retryAfterMs)}, at ${day}${at.slice(11, 19)} UTC`;
  return { text: `; it says to try again ${when}`, hint: `Try again ${when}` };
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`;
  if (ms < 2 * DAY) return `${Math.ceil(seconds / 3_600)} h`;
  return `${Math.ceil(ms / DAY)} days`;
}

const DAY = 86_400_000;
const LONGEST_WAIT = 365 * DAY;
