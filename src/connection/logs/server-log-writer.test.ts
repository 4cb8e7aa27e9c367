import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServerLogWriter } from './server-log-writer.js';

/** Number of open files of this process below a folder. */
function openIn(folder: string): number {
  const descriptors = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // the descriptor of the /proc folder itself, closed by now
    }
  });
  return descriptors.filter((path) => path.startsWith(folder)).length;
}

test.skipIf(process.platform !== 'linux')(
  'lines for hundreds of servers keep their order and no file open',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-lines-'));
    const files = Array.from({ length: 200 }, (_, index) => join(folder, `${index}.log`));
    const lines = new ServerLogWriter();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, openIn(folder))), 1);
    for (const line of ['one', 'two']) for (const file of files) lines.push(file, line);
    await new Promise((done) => void setTimeout(done, 20));
    for (const file of files) lines.push(file, 'three');
    await lines[Symbol.asyncDispose]();
    clearInterval(timer);
    expect(new Set(files.map((file) => readFileSync(file, 'utf8')))).toEqual(new Set(['one\ntwo\nthree\n']));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(8);
    expect(openIn(folder)).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  },
);
