import { type Editor, rewrite } from './editor.js';

/** Somebody goes through what was entered before. */
export interface HistoryWalk {
  /** Which entry is shown. */
  readonly at: number;
  /** What stood there before, and comes back at the end. */
  readonly draft: Editor;
  /** Only what begins so is gone through. */
  readonly prefix: string;
}

export interface HistoryStep {
  readonly editor: Editor;
  /** Undefined when they are back where they began. */
  readonly walk: HistoryWalk | undefined;
}

/** The entry before or after the one that is shown; behind the last of them is what stood there before. Undefined: there is none before. */
export function stepThrough(
  editor: Editor,
  walk: HistoryWalk | undefined,
  { history, by }: { readonly history: readonly string[]; readonly by: -1 | 1 },
): HistoryStep | undefined {
  const {
    draft,
    prefix,
    at: from,
  } = walk ?? {
    draft: editor,
    prefix: editor.text.slice(0, editor.cursor),
    at: history.length,
  };
  for (let at = from + by; at >= 0 && at < history.length; at += by) {
    const entry = history[at]!;
    if (entry.startsWith(prefix) && entry !== editor.text)
      return { editor: rewrite(draft, entry), walk: { at, draft, prefix } };
  }
  return by === 1 ? { editor: draft, walk: undefined } : undefined;
}

/** Somebody looks for something that was entered before, letter by letter. */
export interface HistorySearch {
  readonly query: string;
  /** The entry that has it; undefined when none has. */
  readonly at: number | undefined;
}

/** The newest entry with these words, not newer than the one given. */
export function searchBack(query: string, from: number, history: readonly string[]): HistorySearch {
  const wanted = query.toLowerCase();
  for (let at = Math.min(from, history.length - 1); at >= 0; at--) {
    if (history[at]!.toLowerCase().includes(wanted)) return { query, at };
  }
  return { query, at: undefined };
}
