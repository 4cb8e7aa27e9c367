import { nameWord } from '../../base/shell-word.js';
import type { PinKind, ToldDifference } from './check-pins.js';

/** How many items of a server differ from `mcp.lock`. */
interface DriftCounts {
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  readonly told?: number;
}

/** Which items of a server differ from `mcp.lock`. */
interface DriftNames {
  readonly changed: readonly DriftItem[];
  readonly added: readonly DriftItem[];
  readonly removed: readonly DriftItem[];
  readonly told: readonly ToldDifference[];
}

interface DriftItem {
  readonly kind: PinKind;
  readonly name: string;
}

/** `1 changed, 2 new, 1 gone, 1 in its entry, package or programs` */
export function driftText({ changed, added, removed, told = 0 }: DriftCounts): string {
  return [
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(added > 0 ? [`${added} new`] : []),
    ...(removed > 0 ? [`${removed} gone`] : []),
    ...(told > 0 ? [`${told} in its entry, package or programs`] : []),
  ].join(', ');
}

/** The differences by name: `changed, and set aside: tool add; new: tool extra`. */
export function driftWords({ changed, added, removed, told }: DriftNames): string {
  return [
    ...listed(changed, 'changed, and set aside'),
    ...listed(added, 'new'),
    ...listed(removed, 'gone'),
    ...told.map(({ kind, name, reason }) => (kind === 'entry' ? reason : `${kind} ${name}: ${reason}`)),
  ].join('; ');
}

/** A full sentence that names the server. */
export function driftSentence(server: string, detail: DriftNames & { readonly file: string }): string {
  return `Server "${server}" differs from ${detail.file}: ${driftWords(detail)}. See: plugboard approve --diff ${nameWord(server)}`;
}

function listed(items: readonly DriftItem[], what: string): string[] {
  if (items.length === 0) return [];
  const names = items.slice(0, SHOWN).map(({ kind, name }) => (kind === 'instructions' ? name : `${kind} ${name}`));
  const more = items.length > SHOWN ? ` and ${items.length - SHOWN} more` : '';
  return [`${what}: ${names.join(', ')}${more}`];
}

const SHOWN = 5;
