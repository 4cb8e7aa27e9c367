import { blankBefore, letterAfter, letterBefore, wordAfter, wordBefore } from '../text/letters.js';
import type { Key } from '../screen.js';

/** A text being edited. Immutable: every key returns a new one. */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
  /** The text that Ctrl-K and the like removed last; Ctrl-Y inserts it again. */
  readonly killed: string;
  /** Earlier states for undo, the newest last. */
  readonly past: readonly Snapshot[];
  /** What the last key did: consecutive letters are undone together, consecutive kills are inserted together. */
  readonly doing: 'writing' | 'killing' | 'moving';
}

export interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

export function newEditor(text = ''): Editor {
  return { text, cursor: text.length, killed: '', past: [], doing: 'moving' };
}

/** The text after a key; undefined when the key does not edit. */
export function edit(editor: Editor, key: Key): Editor | undefined {
  if (key.text !== '' && !key.ctrl && !key.meta) return insertText(editor, key.text);
  const held = `${key.ctrl ? 'ctrl-' : ''}${key.meta ? 'meta-' : ''}`;
  return ACTIONS.get(held + key.name)?.(editor);
}

export function insertText(editor: Editor, text: string): Editor {
  const fitting = text.slice(0, Math.max(TEXT_LIMIT - editor.text.length, 0));
  const { cursor } = editor;
  const changed = replace(editor, { from: cursor, to: cursor, by: fitting });
  // Consecutive letters are undone together, up to a blank.
  const goesOn = editor.doing === 'writing' && text.length === 1 && text.trim() !== '';
  return { ...changed, past: goesOn ? editor.past : changed.past, doing: 'writing' };
}

/** Replaces the whole text; can be undone. */
export function rewrite(editor: Editor, text: string): Editor {
  return replace(editor, { from: 0, to: editor.text.length, by: text });
}

export function replace(
  editor: Editor,
  { from, to, by }: { readonly from: number; readonly to: number; readonly by: string },
): Editor {
  const { text, cursor } = editor;
  if (from === to && by === '') return editor;
  return {
    ...editor,
    text: text.slice(0, from) + by + text.slice(to),
    cursor: from + by.length,
    past: remember(editor.past, { text, cursor }),
    doing: 'moving',
  };
}

export function moveTo(editor: Editor, cursor: number): Editor {
  return { ...editor, cursor, doing: 'moving' };
}

function remember(past: readonly Snapshot[], now: Snapshot): readonly Snapshot[] {
  let size = now.text.length;
  // Keeps the newest states that fit.
  let from = past.length;
  while (from > 0 && past.length - from < UNDO_LIMIT) {
    size += past[from - 1]!.text.length;
    if (size > UNDO_SIZE) break;
    from--;
  }
  return [...past.slice(from), now];
}

function undo(editor: Editor): Editor {
  const last = editor.past.at(-1);
  return last ? { ...editor, ...last, past: editor.past.slice(0, -1), doing: 'moving' } : editor;
}

function kill(editor: Editor, from: number, to: number): Editor {
  if (from === to) return editor;
  const taken = editor.text.slice(from, to);
  const before = editor.doing === 'killing' ? editor.killed : '';
  const killed = to <= editor.cursor ? taken + before : before + taken;
  return { ...replace(editor, { from, to, by: '' }), killed, doing: 'killing' };
}

function lineStart({ text, cursor }: Editor): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

type Action = (editor: Editor) => Editor;

const toStart: Action = (editor) => moveTo(editor, lineStart(editor));
const toEnd: Action = (editor) => moveTo(editor, lineEnd(editor));
const left: Action = (editor) => moveTo(editor, letterBefore(editor.text, editor.cursor));
const right: Action = (editor) => moveTo(editor, letterAfter(editor.text, editor.cursor));
const wordLeft: Action = (editor) => moveTo(editor, wordBefore(editor.text, editor.cursor));
const wordRight: Action = (editor) => moveTo(editor, wordAfter(editor.text, editor.cursor));
const eraseBefore: Action = (editor) =>
  replace(editor, { from: letterBefore(editor.text, editor.cursor), to: editor.cursor, by: '' });
const eraseAfter: Action = (editor) =>
  replace(editor, { from: editor.cursor, to: letterAfter(editor.text, editor.cursor), by: '' });
const killWordBefore: Action = (editor) => kill(editor, wordBefore(editor.text, editor.cursor), editor.cursor);
const killWordAfter: Action = (editor) => kill(editor, editor.cursor, wordAfter(editor.text, editor.cursor));
/** At the end of a row it removes the line break. */
const killToEnd: Action = (editor) => {
  const end = lineEnd(editor);
  return kill(editor, editor.cursor, end === editor.cursor ? Math.min(end + 1, editor.text.length) : end);
};
const killToStart: Action = (editor) => {
  const start = lineStart(editor);
  return kill(editor, start === editor.cursor ? Math.max(start - 1, 0) : start, editor.cursor);
};
const newRow: Action = (editor) => insertText(editor, '\n');

const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ['left', left],
  ['ctrl-b', left],
  ['right', right],
  ['ctrl-f', right],
  ['home', toStart],
  ['ctrl-a', toStart],
  ['end', toEnd],
  ['ctrl-e', toEnd],
  ['meta-b', wordLeft],
  ['meta-left', wordLeft],
  ['ctrl-left', wordLeft],
  ['meta-f', wordRight],
  ['meta-right', wordRight],
  ['ctrl-right', wordRight],
  ['ctrl-home', (editor) => moveTo(editor, 0)],
  ['ctrl-end', (editor) => moveTo(editor, editor.text.length)],
  ['backspace', eraseBefore],
  ['delete', eraseAfter],
  ['ctrl-d', eraseAfter],
  ['ctrl-k', killToEnd],
  ['ctrl-u', killToStart],
  ['ctrl-w', (editor) => kill(editor, blankBefore(editor.text, editor.cursor), editor.cursor)],
  ['meta-backspace', killWordBefore],
  ['ctrl-backspace', killWordBefore],
  ['meta-d', killWordAfter],
  ['meta-delete', killWordAfter],
  ['ctrl-delete', killWordAfter],
  ['ctrl-y', (editor) => ({ ...insertText(editor, editor.killed), doing: 'moving' })],
  ['ctrl-_', undo],
  ['ctrl-j', newRow],
  ['meta-return', newRow],
  ['ctrl-return', newRow],
]);

const TEXT_LIMIT = 1_000_000; // characters, the same as for a paste
const UNDO_LIMIT = 100;
const UNDO_SIZE = 4_000_000; // characters in all states together
