import type { Screen } from '../../terminal/screen.js';
import { cutToColumns } from '../../terminal/text/text-width.js';
import { type RunningCall, runningRow, timeText, toolText } from './call-lines.js';
import { shortCount } from './end-lines.js';
import { modelRetryText, type Retry } from './notice-lines.js';
import { unreachable } from '../../../base/never.js';

/** What the model is doing. */
export type Activity =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'speaking' }
  | { readonly kind: 'compacting' }
  | { readonly kind: 'writing-call'; readonly name: string }
  | { readonly kind: 'retry'; readonly retry: Retry };

export interface ActiveCall extends RunningCall {
  readonly began: number;
  /** When its progress was last told as a line, in ms since it began. */
  toldAt?: number;
  /** Set for a call that has started a sub-agent. */
  agent?: Agent;
}

/** What is shown of a sub-agent. Its text is not: that is for the model that started it. */
export interface Agent {
  readonly name: string;
  readonly calls: Map<string, ActiveCall>;
  /** Calls so far, finished ones included. */
  count: number;
  tokens: number;
}

/** Everything under way, as rows at the foot of the screen. */
export class ActivityView {
  readonly calls = new Map<string, ActiveCall>();
  #activity: Activity = { kind: 'speaking' };
  #since = 0;

  /** The time starts again only when the kind of activity changes. */
  do(activity: Activity, now: number): void {
    if (activity.kind !== this.#activity.kind || activity.kind === 'retry') this.#since = now;
    this.#activity = activity;
  }

  /** Drops the calls that the model's provider ran: they end with the answer. */
  dropForeign(): void {
    for (const [id, { by }] of this.calls) if (by !== undefined) this.calls.delete(id);
  }

  rows({ columns, rows, style }: Pick<Screen, 'columns' | 'rows' | 'style'>, now: number): string[] {
    const spinner = style.cyan(FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]!);
    const most = Math.max(Math.floor(rows / 3), 2);
    const calls = [...this.calls.values()];
    const shown = calls.slice(0, most).flatMap((call) => {
      const row = `${spinner} ${runningRow(call, now - call.began, columns - 2)}`;
      return call.agent ? [row, style.dim(cutToColumns(`  └ ${agentText(call.agent)}`, columns))] : [row];
    });
    const more = calls.length > most ? [style.dim(`  … and ${calls.length - most} more calls`)] : [];
    const activity = calls.length > 0 ? undefined : this.#activityText(now - this.#since);
    return [...(activity === undefined ? [] : [cutToColumns(`${spinner} ${activity}`, columns)]), ...shown, ...more];
  }

  #activityText(ms: number): string | undefined {
    const activity = this.#activity;
    const time = ms >= 1000 ? ` ${timeText(ms)}` : '';
    switch (activity.kind) {
      case 'speaking':
        return undefined;
      case 'waiting':
        return `working…${time}`;
      case 'thinking':
        return `thinking…${time}`;
      case 'compacting':
        return `summarising the conversation…${time}`;
      case 'writing-call':
        return `writing a call of ${toolText(activity.name)}…${time}`;
      case 'retry':
        return modelRetryText({ ...activity.retry, afterMs: activity.retry.afterMs - ms });
      default:
        return unreachable(activity);
    }
  }
}

function agentText({ name, calls, count, tokens }: Agent): string {
  const facts = [
    `${count} call${count === 1 ? '' : 's'}`,
    ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : []),
    ...Array.from(calls.values(), (call) => toolText(call.name)).slice(-1),
  ];
  return `${toolText(name)}: ${facts.join(', ')}`;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
