import type { Repair } from '../../host/support/repairs.js';
import type { HostConfig } from '../../config/load.js';

/** What `doctor --fix` did, or with `--dry-run` would do. */
export interface Fixes {
  readonly fixed: readonly Repair[];
  /** What could not be done. */
  readonly failed: readonly Repair[];
  readonly isDryRun: boolean;
}

/** Repairs what is safe to repair; the rest stays among the findings, with the command for it. */
export async function fixWhatIsSafe(
  loaded: HostConfig,
  { now, isDryRun }: { readonly now: Date; readonly isDryRun: boolean },
): Promise<Fixes> {
  const { findRepairs } = await import('../../host/support/repairs.js');
  const planned = findRepairs(loaded, now.getTime());
  const results = planned.map(({ apply, ...repair }) => ({ repair, isDone: isDryRun || apply() }));
  const having = (isDone: boolean): readonly Repair[] =>
    results.filter((result) => result.isDone === isDone).map(({ repair }) => repair);
  return { fixed: having(true), failed: having(false), isDryRun };
}
