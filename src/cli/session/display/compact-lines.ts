import type { SessionEvent } from '../../../session/index.js';
import { showLine } from '../../../model/show.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapText } from '../../terminal/text/text-width.js';

/** What became of a conversation that was to be shortened: `Compacted: 161,204 -> 23,410 tokens`. */
export function compactedText({
  before,
  after,
  summary,
  transcript,
}: Omit<Extract<SessionEvent, { kind: 'compacted' }>, 'kind' | 'trigger'>): string {
  const tokens = `${before.toLocaleString('en')} → ${after.toLocaleString('en')} tokens`;
  if (summary === undefined) return `Compacted: ${tokens}. Results that the model had read are in files now`;
  return `Compacted: ${tokens}${transcript === undefined ? '' : `. What was summarised: ${showLine(transcript)}`}`;
}

/** The rows of what happened by itself in the middle of a turn. */
export function compactRows(
  event: Extract<SessionEvent, { kind: 'compacted' | 'compact-failed' }>,
  { columns, style }: Pick<Screen, 'columns' | 'style'>,
): string[] {
  if (event.kind === 'compacted') return wrapText(`· ${compactedText(event)}`, columns).map(style.dim);
  const { message, hint, code } = event.error;
  if (code === 'cancelled') return [];
  const text = `· ${showLine(message)}${hint === undefined ? '' : `. ${showLine(hint)}`}`;
  return wrapText(text, columns).map(style.yellow);
}
