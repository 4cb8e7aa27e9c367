import type { Edit } from './edit/edit-file.js';
import { maskText } from './edit/mask-text.js';
import { showLine } from '../model/show.js';

const CONTEXT = 3;

export interface DiffOptions {
  readonly reveal: boolean;
  /** Masks the secrets of a file; default: of one of ours. */
  readonly mask?: (text: string) => string;
}

/** The lines that an edit changes, with a few around them, as one block, because an edit changes one place. */
export function showDiff({ file, before, after, changed }: Edit, options: DiffOptions): string {
  if (!changed) return showLine(`${file}: nothing would change`);
  const show = options.reveal ? (text: string): string => text : (options.mask ?? maskText);
  const old = before === undefined ? [] : toLines(show(before));
  const now = toLines(show(after));
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT).map((line) => ` ${line}`),
  ];
  return [`--- ${before === undefined ? '(new file)' : file}`, `+++ ${file}`, `@@ line ${from + 1} @@`, ...lines]
    .map(showLine)
    .join('\n');
}

/** The lines of a text, without an empty one after the final line end. */
function toLines(text: string): string[] {
  return text.replace(/\r?\n$/u, '').split(/\r?\n/u);
}
