import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import type { CheckedPins } from '../../guard/pins.js';
import { type PinKind, type ToldDifference, UNHEARD } from '../../model/pins/check-pins.js';

/** How many things of a server are not what `mcp.lock` pins. */
export interface Drift {
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  /** Where some are: differences of the entry, the installed package and programs of the repository, which stop nothing. */
  readonly told?: number;
}

/** The same, by name. */
export interface DriftDetail {
  /** The lock. */
  readonly file: string;
  /** Set aside until somebody has accepted them. */
  readonly changed: readonly DriftItem[];
  readonly added: readonly DriftItem[];
  readonly removed: readonly DriftItem[];
  /** What is different and stops nothing: the entry, the installed package, a program of the repository. */
  readonly told: readonly ToldDifference[];
}

export interface DriftItem {
  readonly kind: PinKind;
  readonly name: string;
}

/** What is different from a lock. Undefined where nothing is, or where the server has not told what it has: then nobody knows. */
export function driftOf(
  { catalog, listProblems }: ServerLifecycle,
  { file, verdict }: { readonly file: string; readonly verdict: CheckedPins },
): DriftDetail | undefined {
  if (catalog.source === 'none') return undefined;
  const isOpen = (list: 'tools' | 'prompts'): boolean => catalog.isAwaited(list) || listProblems.has(list);
  const open = new Set<PinKind>([
    ...(isOpen('tools') ? ['tool' as const] : []),
    ...(isOpen('prompts') ? ['prompt' as const] : []),
  ]);
  const { aside, added, told } = verdict;
  const changed = aside.filter((item) => !isUnheard(item)).map(toItem);
  const detail: DriftDetail = {
    file,
    changed,
    added: [...aside.filter(isUnheard).map(toItem), ...added],
    // A list that did not come is not an empty one.
    removed: verdict.missing.filter(({ kind }) => !open.has(kind)),
    told,
  };
  return detail.changed.length + detail.added.length + detail.removed.length + told.length === 0 ? undefined : detail;
}

export function toDrift({ changed, added, removed, told }: DriftDetail): Drift {
  return {
    changed: changed.length,
    added: added.length,
    removed: removed.length,
    ...(told.length > 0 && { told: told.length }),
  };
}

function isUnheard({ kind, reason }: { readonly kind: PinKind; readonly reason: string }): boolean {
  return kind === 'instructions' && reason === UNHEARD;
}

function toItem({ kind, name }: DriftItem): DriftItem {
  return { kind, name };
}
