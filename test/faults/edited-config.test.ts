import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turn } from '../fake-clock.js';
import { isRunning, openScene } from '../host/scene.js';
import { checkHistory, History, readJournal } from './history.js';
import { watchLeftovers } from './leftovers.js';
import { percentiles, showPercentiles } from './percentiles.js';

// Fault F09: an entry is edited while its server has calls in flight.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const EDITS = FULL ? 100 : 3;

test(`F09: after each of ${EDITS} edits the old process is gone before the new one starts, and no other server notices`, async () => {
  const leftovers = watchLeftovers();
  await using scene = openScene();
  const { env } = leftovers;
  const journal = join(scene.home, 'kept.txt');
  const configure = (edit: number): void =>
    // Every third server ignores the end of its stdin.
    scene.configure({
      edited: scene.journaling({ ...env, TOOLS: `tool-${edit}`, ...(edit % 3 === 1 && { DEAF: '1' }) }),
      kept: scene.journaling({ ...env, JOURNAL: journal, STARTS: '' }),
    });
  configure(0);
  const { host, changes } = await scene.open();
  await host.settled();
  const kept = new History(host, 'kept');
  const edited = new History(host, 'edited');
  const isAlone: boolean[] = [];
  const recoveries: number[] = [];
  const calls: Promise<unknown>[] = [];
  for (let edit = 1; edit <= EDITS; edit++) {
    const pid = scene.starts().at(-1)!;
    // In flight when the file is saved, so the outcome of `append` is unknown.
    calls.push(...(['read', 'put', 'append'] as const).map((tool) => edited.call(tool, { ms: 60_000 })));
    const { key } = edited.records.at(-1)!;
    calls.push(kept.call('append', { ms: 20 }));
    while (!scene.ran().includes(`append ${key}`)) await turn();
    const began = performance.now();
    configure(edit);
    while (scene.starts().length < edit + 1) await turn();
    isAlone.push(!isRunning(pid));
    while (!host.tools().some(({ name }) => name === `mcp__edited__tool-${edit}`)) await turn();
    calls.push(edited.call('append'));
    await calls.at(-1);
    recoveries.push(performance.now() - began);
  }
  await Promise.all(calls);
  expect(isAlone).toEqual(Array.from({ length: EDITS }, () => true));
  expect(scene.starts().filter(isRunning)).toEqual(scene.starts().slice(-1));
  expect(changes.filter(({ name }) => name === 'kept').map(({ after }) => after)).toEqual(['pending', 'connected']);
  const verdict = edited.judge(readJournal(scene.journal));
  const keptVerdict = kept.judge(readJournal(journal));
  await scene[Symbol.asyncDispose]();
  const { processes, descriptors } = await leftovers.count();
  checkHistory('F09', verdict, {
    edits: EDITS,
    recovered: showPercentiles(percentiles(recoveries)),
    processes,
    descriptors,
  });
  checkHistory('F09, the other server', keptVerdict);
  expect(keptVerdict.ok).toBe(EDITS);
  expect([processes, descriptors]).toEqual([0, 0]);
});

test('F09: of six edits in a row the last one counts, and one process is left', async () => {
  const leftovers = watchLeftovers();
  await using scene = openScene();
  const configure = (edit: number): void =>
    scene.configure({ edited: scene.journaling({ ...leftovers.env, TOOLS: `tool-${edit}` }) });
  configure(0);
  const { host } = await scene.open();
  await host.settled();
  const history = new History(host, 'edited');
  const calls: Promise<unknown>[] = [];
  for (let edit = 1; edit <= 6; edit++) {
    configure(edit);
    calls.push(history.call('append'));
    await new Promise((resolve) => void setTimeout(resolve, edit * 25)); // edits in quick succession
  }
  while (!host.tools().some(({ name }) => name === 'mcp__edited__tool-6')) await turn();
  await Promise.all([...calls, host.settled()]);
  expect(scene.starts().filter(isRunning)).toHaveLength(1);
  expect(await history.call('append')).toMatchObject({ outcome: 'ok', attempts: 1 });
  const starts = scene.starts().length;
  const verdict = history.judge(readJournal(scene.journal));
  await scene[Symbol.asyncDispose]();
  const { processes, descriptors } = await leftovers.count();
  checkHistory('F09, six edits in a row', verdict, { starts, processes, descriptors });
  expect([processes, descriptors]).toEqual([0, 0]);
});
