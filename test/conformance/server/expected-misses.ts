import type { ServerRun } from './server-run.js';

/** Why a scenario cannot pass in a run; undefined when it must. Whatever is listed and passes fails the run. */
export function findMiss(scenario: string, run: ServerRun): string | undefined {
  return misses.find(({ scenarios, where }) => scenarios.includes(scenario) && where(run))?.reason;
}

export function listedMisses(): readonly string[] {
  return misses.flatMap(({ scenarios }) => scenarios);
}

interface Miss {
  readonly reason: string;
  readonly scenarios: readonly string[];
  readonly where: (run: ServerRun) => boolean;
}

const misses: readonly Miss[] = [
  {
    reason: 'wants the key of a question, and a request of 2025 carries none',
    scenarios: ['input-required-result-basic-elicitation', 'input-required-result-ignore-extra-params'],
    where: ({ revision, era }) => revision === '2026-07-28' && era === 'legacy',
  },
  {
    reason: 'the suite skips its only check',
    scenarios: ['tasks-status-notifications'],
    where: () => true,
  },
  {
    reason: 'wants an error for a client without tasks; for a task of 2025 the gateway waits, and gives the result',
    scenarios: ['tasks-required-task-error'],
    where: ({ era }) => era === 'legacy',
  },
];
