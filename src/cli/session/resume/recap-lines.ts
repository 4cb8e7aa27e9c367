import { shorten } from '../../../base/shorten.js';
import { showText } from '../../../model/show.js';
import { isPrompt, type RestoredSession, type StoredItem, typedWords } from '../../../session/index.js';
import type { Screen } from '../../terminal/screen.js';
import { ownRows, quotedRows } from '../display/quoted-rows.js';

/** What a user reads above the first prompt of a session that goes on: its last exchange, shortened. `isCopy`: it goes on in a copy now. */
export function recapLines(
  session: RestoredSession,
  { style, columns, isCopy }: Pick<Screen, 'style' | 'columns'> & { readonly isCopy: boolean },
): string[] {
  const { items, title } = session;
  const at = items.findLastIndex(isPrompt);
  const answer = items.slice(at + 1).findLast((item) => isAnswer(item) && textOf(item) !== '');
  const unknown = items.findLast((item) => item.kind === 'results')?.results.filter(isLost).length ?? 0;
  const what = isCopy ? 'Resumed, as a copy' : 'Resumed';
  return [
    ...ownRows(`${what}: ${title ?? session.id}`, columns).map(style.dim),
    ...(at === -1 ? [] : ownRows(`> ${shorten(firstLine(typedWords(items[at]!)), PROMPT)}`, columns)),
    ...(answer ? answerRows(textOf(answer), columns) : []),
    ...(unknown === 0 ? [] : ownRows(lostText(unknown), columns).map(style.yellow)),
  ];
}

function answerRows(text: string, columns: number): string[] {
  const rows = quotedRows(showText(shorten(text.trim(), ANSWER)), columns);
  return rows.length > ROWS ? [...rows.slice(0, ROWS), '| …'] : rows;
}

function isAnswer(item: StoredItem): boolean {
  return item.kind === 'message' && item.message.role === 'assistant';
}

function textOf(item: StoredItem): string {
  if (item.kind !== 'message') return '';
  return item.message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!;
}

/** Whether the process ended while the call was under way. */
function isLost({ outcome, error }: { readonly outcome: string; readonly error?: { readonly code: string } }): boolean {
  return outcome === 'unknown' && error?.code === 'cancelled';
}

function lostText(count: number): string {
  const calls = count === 1 ? '1 call was' : `${count} calls were`;
  return `${calls} under way when the session ended; what became of ${count === 1 ? 'it' : 'them'} is unknown, and the model is told so.`;
}

const PROMPT = 300; // characters
const ANSWER = 2_000; // characters
const ROWS = 8;
