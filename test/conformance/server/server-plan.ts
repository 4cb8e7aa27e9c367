import type { Harness, Scenario } from '../harness.js';
import type { ServerRun } from './server-run.js';

/** `scored`: the revision requires it. `beside`: the revision has it. `extension`: it belongs to no revision. */
export type Part = 'scored' | 'beside' | 'extension';

export interface Step {
  readonly scenario: string;
  /** Undefined: the protocol version that the suite chooses. */
  readonly revision: string | undefined;
  readonly part: Part;
}

/** The scenarios of a run, in the order of the suite. Extensions are of the newest revision. */
export function planServerRun(all: readonly Scenario[], harness: Harness, { revision }: ServerRun): readonly Step[] {
  const required = new Set(harness.required(revision));
  return all.flatMap(({ name, revisions }): Step[] => {
    if (revisions.includes(revision)) {
      return [{ scenario: name, revision, part: required.has(name) ? 'scored' : 'beside' }];
    }
    const isExtension = revisions.length === 0 && revision === '2026-07-28';
    return isExtension ? [{ scenario: name, revision: undefined, part: 'extension' }] : [];
  });
}
