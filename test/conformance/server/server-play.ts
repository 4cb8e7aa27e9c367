import type { Harness, Scenario } from '../harness.js';
import type { Result } from '../report.js';
import { type Check, isBad, judge, type Run } from '../verdict.js';
import { findMiss } from './expected-misses.js';
import { type Part, planServerRun, type Step } from './server-plan.js';
import { type ServerRun, toTitle } from './server-run.js';
import { openServerStage, type ServerStage, type StageOptions } from './server-stage.js';

export interface PlayedResult extends Result {
  /** The title of its run. */
  readonly run: string;
  readonly part: Part;
}

interface PlayOptions {
  readonly harness: Harness;
  readonly run: ServerRun;
  readonly stage: StageOptions;
}

/** One run of the eight: starts what it needs, and plays scenarios one after the other. */
export class ServerPlay implements AsyncDisposable {
  readonly #options: PlayOptions;
  readonly #stages = new Map<number | undefined, ServerStage>();

  constructor(options: PlayOptions) {
    this.#options = options;
  }

  async *results(scenarios: readonly Scenario[]): AsyncGenerator<PlayedResult> {
    const { harness, run } = this.#options;
    for (const step of planServerRun(scenarios, harness, run)) yield await this.#play(step);
  }

  /** Runs a failed scenario once more: on a busy machine the suite now and then loses a connection. */
  async #play({ scenario, revision, part }: Step): Promise<PlayedResult> {
    const { harness, run, stage } = this.#options;
    const reason = findMiss(scenario, run);
    const { url } = await this.#stage(stage.isDirect ? undefined : streamAfter(scenario));
    for (let attempt = 1; ; attempt++) {
      const played = onlyWithContent(await harness.runServer(url, { scenario, revision }));
      const verdict = judge(played, { isListed: reason !== undefined });
      if (attempt < ATTEMPTS && isBad(verdict.outcome) && reason === undefined) continue;
      const told = { run: toTitle(run), part, scenario, revision: revision ?? 'extension' };
      return { ...told, ...verdict, attempts: attempt, ms: played.ms, reason };
    }
  }

  async #stage(streamAfterMs: number | undefined): Promise<ServerStage> {
    const { run, stage } = this.#options;
    const open = this.#stages.get(streamAfterMs);
    if (open !== undefined) return open;
    const opened = await openServerStage(run, { ...stage, ...(streamAfterMs !== undefined && { streamAfterMs }) });
    this.#stages.set(streamAfterMs, opened);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#stages.values()].map((stage) => stage[Symbol.asyncDispose]()));
    this.#stages.clear();
  }
}

const ATTEMPTS = 2;

/** The scenario looks at nothing where the answer is no stream; a gateway makes one of an answer that takes long. */
function streamAfter(scenario: string): number | undefined {
  return scenario === 'server-sse-polling' ? 0 : undefined;
}

/** Every scenario checks that its messages fit the schema: that alone says nothing about what the scenario is for. */
function onlyWithContent(run: Run): Run {
  return run.checks.some((check) => isContent(check) || isFault(check)) ? run : { ...run, checks: [] };
}

function isContent({ id, status }: Check): boolean {
  return status === 'SUCCESS' && id !== 'wire-schema-valid';
}

function isFault({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING';
}

/** How many of each part passed in each run, and below what decides the exit code. */
export function toServerSummary(results: readonly PlayedResult[]): string {
  const runs = [...new Set(results.map(({ run }) => run))];
  const parts: readonly Part[] = ['scored', 'beside', 'extension'];
  const rows = runs.map((run) => {
    const own = results.filter((one) => one.run === run);
    const counts = parts.map((part) => {
      const all = own.filter((one) => one.part === part);
      return `${all.filter(({ outcome }) => outcome === 'passed').length}/${all.length} ${part}`;
    });
    const checks = own.reduce((sum, one) => sum + one.counts.passed, 0);
    const misses = own.filter(({ outcome }) => outcome === 'not-yet').map(({ scenario }) => scenario);
    const listed = misses.length === 0 ? '' : `; expected to fail: ${misses.join(', ')}`;
    return `${run.padEnd(TITLE_WIDTH)} ${counts.join(', ')}, ${checks} checks${listed}\n`;
  });
  const bad = results.filter(({ outcome }) => isBad(outcome));
  const verdict = bad.map(({ run, scenario, outcome }) => `${outcome} ${run}: ${scenario}\n`).join('');
  return `${rows.join('')}\n${verdict === '' ? 'Nothing unexpected.\n' : verdict}`;
}

const TITLE_WIDTH = 24;
