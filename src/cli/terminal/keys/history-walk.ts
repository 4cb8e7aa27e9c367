import { type Editor, rewrite } from './editor.js';

/** The user's way through the history. */
export interface HistoryWalk {
  /** The index of the entry shown. */
  readonly at: number;
  /** The text before, which comes back after the newest entry. */
  readonly draft: Editor;
  /** Only entries with this beginning are shown. */
  readonly prefix: string;
}

export interface HistoryStep {
  readonly editor: Editor;
  /** Undefined when the draft is back. */
  readonly walk: HistoryWalk | undefined;
}

/** The next older or newer entry; after the newest one the draft. Undefined: there is no older one. */
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

/** A search through the history, as the user types. */
export interface HistorySearch {
  readonly query: string;
  /** The index of the entry found; undefined when there is none. */
  readonly at: number | undefined;
}

/** The newest entry that contains `query`, from index `from` backwards. */
export function searchBack(query: string, from: number, history: readonly string[]): HistorySearch {
  const wanted = query.toLowerCase();
  for (let at = Math.min(from, history.length - 1); at >= 0; at--) {
    if (history[at]!.toLowerCase().includes(wanted)) return { query, at };
  }
  return { query, at: undefined };
}
