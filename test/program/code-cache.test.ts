import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyProgram } from './sandbox.js';

test('V8 takes every compiled form that the build keeps, so that nobody waits for it to compile', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-cache-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dist = dirname(await copyProgram(root));
  const script = `
    const { readFileSync } = require('node:fs');
    const { Script } = require('node:vm');
    const source = readFileSync('program.js', 'latin1');
    const isRefused = (kind) => {
      const options = { filename: 'plugboard/program.js', cachedData: readFileSync(kind + '.cache') };
      return new Script(source, options).cachedDataRejected;
    };
    console.log(JSON.stringify(['program', 'live', 'session'].map(isRefused)));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: dist, env: {}, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toStrictEqual([false, false, false]);
});
