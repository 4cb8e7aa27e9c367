import { showLine } from '../../model/show.js';
import type { CallProgress } from '../../model/tool.js';

/**
 * How far a call is, by what its server reports: a bar with the time that is left, or a count where the total is not
 * known. A server may report anything: a bar never goes back, and numbers that make no sense are left out. All times are
 * in ms since the call began.
 */
export class ProgressMeter {
  #share: number | undefined;
  #count: number | undefined;
  /** When the share has last grown. */
  #grownAt = 0;
  #message: string | undefined;

  take({ progress, total, message }: CallProgress, ms: number): void {
    if (typeof message === 'string' && message !== '') this.#message = message.slice(0, MESSAGE_LIMIT);
    if (!Number.isFinite(progress) || progress < 0) return;
    if (this.#count === undefined || progress > this.#count) this.#count = progress;
    if (total === undefined || !Number.isFinite(total) || total <= 0) return;
    const share = Math.min(progress / total, 1);
    if (this.#share !== undefined && share <= this.#share) return;
    this.#share = share;
    this.#grownAt = ms;
  }

  /** `████░░░░ 40 %`, `about 12 s left`, the server's message; without a total `25 so far`. */
  parts(ms: number, { isWide = true }: { readonly isWide?: boolean } = {}): string[] {
    const message = this.#message === undefined ? [] : [showLine(this.#message)];
    if (this.#share === undefined) {
      return [...(this.#count === undefined ? [] : [`${countText(this.#count)} so far`]), ...message];
    }
    const percent = `${Math.floor(this.#share * 100)} %`;
    const left = this.#leftText(this.#share, ms);
    return [isWide ? `${toBar(this.#share)} ${percent}` : percent, ...(left === undefined ? [] : [left]), ...message];
  }

  #leftText(share: number, ms: number): string | undefined {
    if (share >= 1 || share <= 0) return undefined;
    const idle = ms - this.#grownAt;
    const expected = (this.#grownAt * (1 - share)) / share;
    if (idle > Math.max(expected, STALLED_MS)) return `no progress for ${durationText(idle)}`;
    const left = Math.max(expected - idle, 0);
    // An early guess, or one of a day and more, is none.
    if (this.#grownAt < GUESS_MS || left > LEFT_LIMIT_MS) return undefined;
    return `about ${durationText(left)} left`;
  }
}

function toBar(share: number): string {
  return '█'.repeat(Math.floor(share * BAR)).padEnd(BAR, '░');
}

function countText(count: number): string {
  return count < 1e9 ? Number(count.toFixed(2)).toLocaleString('en-US') : count.toPrecision(3);
}

/** `12 s`, `3 min`, `2 h 5 min`. */
function durationText(ms: number): string {
  const seconds = Math.max(Math.ceil(ms / 1000), 1);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const BAR = 20;
const MESSAGE_LIMIT = 500; // characters; a screen shows fewer
const GUESS_MS = 1_000;
const STALLED_MS = 10_000;
const LEFT_LIMIT_MS = 86_400_000;
