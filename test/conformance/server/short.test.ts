import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isServing } from '../../gateway/start-gateway.js';
import { Harness } from '../harness.js';
import { findMiss, listedMisses } from './expected-misses.js';
import { type PlayedResult, ServerPlay } from './server-play.js';
import { type ServerRun, serverRuns, toTitle } from './server-run.js';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'test/conformance');
const why = Harness.isInstalled(folder)
  ? ''
  : ' (skipped: npm run conformance -- --server --direct installs the suite)';

describe.skipIf(why !== '')(`the official suite for servers${why}`, () => {
  test.each([
    [{ revision: '2025-11-25', era: 'legacy', transport: 'http' }, ['tools-list', 'server-sse-polling']],
    [{ revision: '2026-07-28', era: 'modern', transport: 'http' }, ['caching', 'input-required-result-multi-round']],
  ] satisfies [ServerRun, string[]][])('finds nothing wrong with the upstream alone: %o', (run, names) =>
    check(run, { names, isDirect: true }),
  );

  // One run from each era to the other; both transports.
  test.skipIf(!isServing).each([
    [
      { revision: '2025-11-25', era: 'modern', transport: 'stdio' },
      [
        'server-initialize',
        'tools-call-mixed-content',
        'tools-call-with-logging',
        'tools-call-with-progress',
        'tools-call-sampling',
        'elicitation-sep1330-enums',
        'server-sse-polling',
        'resources-subscribe',
        'prompts-get-with-image',
        'dns-rebinding-protection',
      ],
    ],
    [
      { revision: '2026-07-28', era: 'legacy', transport: 'http' },
      [
        'server-stateless',
        'caching',
        'http-header-validation',
        'sep-2164-resource-not-found',
        'input-required-result-multiple-input-requests',
        'input-required-result-multi-round',
        'input-required-result-non-tool-request',
        'input-required-result-tampered-state',
        'sep-2640-skills-enumeration',
        'tasks-mrtr-composition',
      ],
    ],
  ] satisfies [ServerRun, string[]][])('finds nothing wrong with the gateway: %o', (run, names) =>
    check(run, { names, isDirect: false }),
  );
});

test('what is expected to fail is known for each run, and nothing else is', () => {
  const found = serverRuns.map((run) => [toTitle(run), listedMisses().filter((name) => findMiss(name, run))]);
  const keys = ['input-required-result-basic-elicitation', 'input-required-result-ignore-extra-params'];
  expect(Object.fromEntries(found)).toMatchObject({
    '2026-07-28, legacy stdio': [...keys, 'tasks-status-notifications', 'tasks-required-task-error'],
    '2026-07-28, legacy http': [...keys, 'tasks-status-notifications', 'tasks-required-task-error'],
    '2026-07-28, modern stdio': ['tasks-status-notifications'],
  });
});

async function check(run: ServerRun, { names, isDirect }: { names: string[]; isDirect: boolean }): Promise<void> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-conformance-')));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const harness = await Harness.open({ folder, scratch, signal: new AbortController().signal });
  const all = await harness.list('server');
  await using play = new ServerPlay({ harness, run, stage: { root, scratch, isDirect } });
  const chosen = all.filter(({ name }) => names.includes(name));
  const results: PlayedResult[] = [];
  for await (const result of play.results(chosen)) results.push(result);
  expect(results.map(({ scenario, outcome, faults }) => ({ scenario, outcome, faults }))).toEqual(
    chosen.map(({ name }) => ({ scenario: name, outcome: 'passed', faults: [] })),
  );
}
