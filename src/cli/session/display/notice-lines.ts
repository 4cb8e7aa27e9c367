import type { ModelEvent, SamplingEvent } from '../../../session/index.js';
import { showLine } from '../../../model/show.js';
import type { Screen } from '../../terminal/screen.js';
import { cutToColumns } from '../../terminal/text/text-width.js';
import { tokensText } from './end-lines.js';

/** A row for each headline of the news for the model; the details are for the model alone. */
export function newsRows(text: string, { columns, style }: Pick<Screen, 'columns' | 'style'>): string[] {
  const headlines = text
    .slice(0, NEWS_LIMIT)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  const shown = headlines.slice(0, HEADLINES).map((line) => cutToColumns(`· ${showLine(line.slice(2))}`, columns));
  const more = headlines.length - shown.length;
  return [...shown, ...(more > 0 ? [`· and ${more} more`] : [])].map(style.dim);
}

/** `docs asked the model (1.2k tokens in, 80 out)`; nothing while the model still answers. */
export function samplingRows(event: SamplingEvent, { columns, style }: Pick<Screen, 'columns' | 'style'>): string[] {
  const text = samplingText(event);
  return text === undefined ? [] : [style.dim(cutToColumns(`· ${text}`, columns))];
}

/** What a server had of the model, for people; undefined while the model still answers. */
export function samplingText(event: SamplingEvent): string | undefined {
  if (event.phase === 'began') return undefined;
  const { server, outcome, usage } = event;
  const came = { ok: tokensText(usage), failed: 'no answer', cancelled: 'cancelled' }[outcome];
  return `${showLine(server)} asked the model (${came})`;
}

export interface Retry extends Omit<Extract<ModelEvent, { kind: 'retry' }>, 'kind'> {
  readonly provider: string;
}

/** `Anthropic is overloaded (HTTP 529), trying again in 4 s (2 of 4)` */
export function modelRetryText({ provider, attempt, afterMs, reason }: Retry): string {
  const seconds = Math.max(Math.ceil(afterMs / 1000), 0);
  const when = seconds === 0 ? 'now' : `in ${seconds} s`;
  return `${showLine(provider)} ${whyText(showLine(reason))}, trying again ${when} (${attempt + 1} of ${ATTEMPTS})`;
}

function whyText(reason: string): string {
  if (/\b(?:503|529)\b/u.test(reason)) return `is overloaded (${reason})`;
  if (/\b429\b/u.test(reason)) return `takes no more requests just now (${reason})`;
  return `did not answer (${reason})`;
}

const ATTEMPTS = 4; // as in the models that Plugboard brings
const HEADLINES = 4;
const NEWS_LIMIT = 20_000;
