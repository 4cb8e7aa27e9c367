import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { HeldClock } from '../held-clock.js';
import { openScene } from './scene.js';

const SHORTEST_MS = 50; // shorter than what the ledger waits for more lines

test('what calls have left to write is written while servers take their time to end', async () => {
  await using scene = openScene();
  const ledger = join(scene.home, '.local/state/plugboard/ledger/calls.jsonl');
  const seen = join(scene.home, 'seen');
  const server = join(scene.home, 'server.mjs');
  const journal = pathToFileURL(resolve(import.meta.dirname, 'journal-server.mjs')).href;
  // It does not hear the end of stdin, and ends when the ledger is there; without the ledger it stays.
  writeFileSync(
    server,
    `import ${JSON.stringify(journal)};
    import { existsSync, writeFileSync } from 'node:fs';
    setInterval(() => {
      if (!existsSync(${JSON.stringify(ledger)})) return;
      writeFileSync(${JSON.stringify(seen)}, '');
      process.exit();
    }, 5);`,
  );
  scene.configure({ db: { ...scene.journaling({ DEAF: '1' }), args: [server] } });
  const { host } = await scene.open({ ports: { clock: new HeldClock(SHORTEST_MS) } });
  await host.settled();
  await host.call({ name: 'mcp__db__read', input: { key: 'k' } });
  expect(existsSync(ledger)).toBe(false);
  await host.close();
  expect(existsSync(seen)).toBe(true);
});
