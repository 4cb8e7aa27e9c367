import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { copyProgram } from './sandbox.js';

/** Where a copy of the program lies that may be broken. */
async function openCopy(): Promise<string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-cache-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return dirname(await copyProgram(root));
}

test('V8 takes every compiled form that the build keeps, so that nobody waits for it to compile', async () => {
  const dist = await openCopy();
  const script = `
    const { Script } = require('node:vm');
    const refused = [];
    require('node:vm').Script = class extends Script {
      constructor(source, options) { super(source, options); refused.push(this.cachedDataRejected); }
      runInThisContext() { return () => {}; }
    };
    for (const words of [['--help'], ['list'], []]) {
      process.argv = [process.execPath, 'plugboard', ...words];
      delete require.cache[require.resolve('./plugboard.js')];
      require('./plugboard.js');
    }
    import('./lib/library.mjs').catch(() => {}).then(() => console.log(JSON.stringify(refused)));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: dist, env: {}, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toStrictEqual([false, false, false, false]);
});

interface Runs {
  readonly file: string;
  /** What node is told, in a folder of its own. */
  readonly words: (dist: string) => readonly string[];
}

const kinds: Readonly<Record<string, Runs>> = {
  program: { file: 'program.cache', words: (dist) => [join(dist, 'plugboard.js'), 'list', '--no-connect', '--json'] },
  library: {
    file: 'lib/library.cache',
    words: (dist) => [
      '--input-type=module',
      '-e',
      `import { Host } from ${JSON.stringify(pathToFileURL(join(dist, 'lib/index.js')).href)};
       const host = await Host.open({ strict: true, watch: false });
       console.log(host.tools().length);
       await host[Symbol.asyncDispose]();`,
    ],
  },
};

const FLIPS = 25;

/** Each of the ways in which a file can be broken, by what they are called. */
function breakages(whole: Buffer, other: Buffer): ReadonlyMap<string, Buffer> {
  const flips = Array.from({ length: FLIPS }, (_, index) => Math.floor(((index + 0.5) * whole.length) / FLIPS));
  const flipped = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 0xff;
    return bytes;
  };
  return new Map([
    ...flips.map((at): [string, Buffer] => [`byte ${at} is another one`, flipped(at)]),
    ...[0, 4, 8, 12, 16, 24, 32].map((at): [string, Buffer] => [`byte ${at} of its head is another one`, flipped(at)]),
    ...[0, 7, 8, 40, whole.length >> 1, whole.length - 1].map((size): [string, Buffer] => [
      `it ends after ${size} bytes`,
      whole.subarray(0, size),
    ]),
    ['something follows it', Buffer.concat([whole, Buffer.alloc(4096, 1)])],
    ['it is that of another source', other],
    ['the bytes of another one follow its own head', Buffer.concat([whole.subarray(0, 8), other.subarray(8)])],
  ]);
}

test.each(Object.entries(kinds))(
  'a %s whose compiled form is broken runs as usual',
  async (kind, { file, words }) => {
    const dist = await openCopy();
    const run = async (): Promise<string> => {
      const env = { PATH: process.env['PATH'], HOME: dist };
      const { stdout } = await promisify(execFile)(process.execPath, words(dist), { cwd: dist, env });
      return stdout;
    };
    const expected = await run();
    const other = readFileSync(join(dist, kind === 'program' ? kinds['library']!.file : kinds['program']!.file));
    const outcomes = new Map<string, string>();
    for (const [what, bytes] of breakages(readFileSync(join(dist, file)), other)) {
      writeFileSync(join(dist, file), bytes);
      outcomes.set(
        what,
        await run().catch((error: Error & { signal?: string }) => error.signal ?? error.message.slice(-300)),
      );
    }
    expect([...outcomes].filter(([, outcome]) => outcome !== expected)).toEqual([]);
  },
  120_000,
);

test('a program whose source was changed runs what is written there, of whatever length that is', async () => {
  const dist = await openCopy();
  const file = join(dist, 'program.js');
  const source = readFileSync(file, 'latin1');
  const changed = source.replaceAll('Write a server into your configuration', 'Wrlte a server into your configuration');
  expect(changed).not.toBe(source);
  writeFileSync(file, changed, 'latin1');
  const help = spawnSync(process.execPath, [join(dist, 'plugboard.js'), '--help'], { encoding: 'utf8' });
  expect(help.stdout).toContain('Wrlte a server into your configuration');
});
