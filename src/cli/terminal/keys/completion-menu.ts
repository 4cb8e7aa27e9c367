import type { Style } from '../../output/style.js';
import { type Editor, replace } from './editor.js';
import type { CompletionItem, CompletionList } from '../screen.js';
import { cutToColumns, padText, textWidth } from '../text/text-width.js';

/** Completions at the cursor, and the selected one. */
export interface Menu {
  readonly found: CompletionList;
  readonly at: number;
  /** The user has moved the selection: Enter then takes the selected item in any case. */
  readonly isMoved: boolean;
}

export function openMenu(
  { text }: Editor,
  found: CompletionList | undefined,
  before: Menu | undefined,
): Menu | undefined {
  if (!found || found.items.length === 0) return undefined;
  const isAll = found.items.length === 1 && found.items[0]!.text === text.slice(found.from, found.to);
  if (isAll) return undefined; // nothing to choose
  // The selected item may have another place in the new list.
  const chosen = before?.isMoved === true ? before.found.items[before.at]?.text : undefined;
  const at = chosen === undefined ? -1 : found.items.findIndex((item) => item.text === chosen);
  return { found, at: Math.max(at, 0), isMoved: at !== -1 };
}

export function moveInMenu(menu: Menu, by: number): Menu {
  const count = menu.found.items.length;
  return { ...menu, at: (menu.at + by + count) % count, isMoved: true };
}

export function takeFromMenu(editor: Editor, { found, at }: Menu): Editor {
  const item = found.items[at]!;
  const space = item.isWhole && editor.text[found.to] !== ' ' ? ' ' : '';
  return replace(editor, { from: found.from, to: found.to, by: item.text + space });
}

/** Whether the text already is one of the items, so that Enter enters it. */
export function isComplete({ text }: Editor, { found }: Menu): boolean {
  const written = text.slice(found.from, found.to);
  return found.items.some((item) => item.text === written);
}

export interface MenuRowOptions {
  readonly columns: number;
  readonly height: number;
  readonly style: Style;
}

/** One row for each item, with its description; with many items those around the selected one. */
export function menuRows({ found: { items }, at }: Menu, { columns, height, style }: MenuRowOptions): string[] {
  const count = Math.max(Math.min(height, MENU_ROWS), 1);
  const from = Math.max(Math.min(at - Math.floor(count / 2), items.length - count), 0);
  const shown = items.slice(from, from + count);
  const widest = Math.max(...shown.map(({ text }) => textWidth(text)));
  const width = Math.min(widest, Math.max(Math.floor(columns / 2), NARROWEST));
  return shown.map((item, row) => menuRow(item, { width, columns, style, isChosen: from + row === at }));
}

function menuRow(
  { text, about }: CompletionItem,
  {
    width,
    columns,
    style,
    isChosen,
  }: { readonly width: number; readonly columns: number; readonly style: Style; readonly isChosen: boolean },
): string {
  const name = padText(cutToColumns(text, width), about === '' ? 0 : width);
  const room = columns - 1 - 2 - width - 2;
  const more = about === '' || room < NARROWEST ? '' : `  ${style.dim(cutToColumns(about, room))}`;
  return isChosen ? `> ${style.inverse(name)}${more}` : `  ${name}${more}`;
}

const MENU_ROWS = 8;
const NARROWEST = 10; // columns; less is unreadable
