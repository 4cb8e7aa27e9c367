import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import type { CheckedPins } from '../../guard/pins.js';
import { type PinKind, type ToldDifference, UNHEARD } from '../../model/pins/check-pins.js';

/** How many definitions of a server differ from `mcp.lock`. */
export interface Drift {
  /** Definitions that were pinned and are different now: blocked. */
  readonly changed: number;
  /** Definitions that the lock does not have. */
  readonly added: number;
  /** Pinned definitions that the server no longer offers. */
  readonly removed: number;
  /** Number of differences that block nothing: in entry, installed package or repository programs. Absent when zero. */
  readonly told?: number;
}

/** The differences between a server and `mcp.lock`, by name. */
export interface DriftDetail {
  /** Path of the `mcp.lock`. */
  readonly file: string;
  /** Definitions that may not be used until the user accepts them. */
  readonly changed: readonly DriftItem[];
  /** Definitions that the lock does not have. */
  readonly added: readonly DriftItem[];
  /** Pinned definitions that the server no longer offers. */
  readonly removed: readonly DriftItem[];
  /** Differences that block nothing: in the entry, the installed package or a program of the repository. */
  readonly told: readonly ToldDifference[];
}

/** A pinned definition that differs from what its server says now. */
export interface DriftItem {
  /** A server has one text of instructions, and any number of tools and prompts. */
  readonly kind: PinKind;
  /** As the server spells it. */
  readonly name: string;
}

/** How a server differs from its lock. Undefined where it does not, or where the server's catalog is not known. */
export function driftOf(
  { catalog, listProblems }: ServerLifecycle,
  { file, verdict }: { readonly file: string; readonly verdict: CheckedPins },
): DriftDetail | undefined {
  if (catalog.source === 'none') return undefined;
  const isOpen = (list: 'tools' | 'prompts'): boolean => catalog.isFetching(list) || listProblems.has(list);
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
    // A list that could not be fetched says nothing about what was removed.
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
