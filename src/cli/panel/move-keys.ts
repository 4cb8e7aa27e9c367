import type { Key } from '../terminal/screen.js';
import { type ListWindow, pageFrom } from './list-window.js';

/** `ctrl-c`, `up`, or the typed letter. Empty for a paste, which is no key. */
export function keyWord({ name, text, ctrl, meta }: Key): string {
  if (name === 'paste') return '';
  if (ctrl || meta) return `${ctrl ? 'ctrl' : 'meta'}-${name}`;
  return text.length === 1 && text > ' ' ? text : name;
}

/** The index that a key moves to in a list; undefined for other keys. */
export function moveIn(
  word: string,
  at: number,
  list: Pick<ListWindow, 'count' | 'height' | 'rowsOf'>,
): number | undefined {
  return moveTargetOf(word, at, { last: list.count - 1, page: (step) => pageFrom(at, step, list) });
}

export interface Reach {
  readonly last: number;
  readonly page: (step: 1 | -1) => number;
}

/** The index that a key moves to; undefined for other keys. */
export function moveTargetOf(word: string, at: number, { last, page }: Reach): number | undefined {
  const to = (wanted: number): number => Math.max(0, Math.min(wanted, last));
  switch (word) {
    case 'up':
    case 'k':
    case 'ctrl-p':
      return to(at - 1);
    case 'down':
    case 'j':
    case 'ctrl-n':
      return to(at + 1);
    case 'pageup':
    case 'ctrl-b':
      return to(at - page(-1));
    case 'pagedown':
    case 'ctrl-f':
    case 'space':
      return to(at + page(1));
    case 'home':
      return to(0);
    case 'end':
    case 'G':
      return to(last);
    default:
      return undefined;
  }
}
