import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const source = resolve(import.meta.dirname, '..');
let root: string;
let installed: string;

/** A project with only the published package installed, so that a missing bundled dependency shows. */
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-package-')));
  const npm = ['pack', '--json', '--ignore-scripts', '--pack-destination', root];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', npm, { cwd: source, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as [{ readonly filename: string }];
  execFileSync('tar', ['-xzf', join(root, filename), '-C', root]);
  installed = join(root, 'node_modules/plugboard');
  mkdirSync(join(root, 'node_modules'));
  cpSync(join(root, 'package'), installed, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const files = (): string[] => readdirSync(installed, { recursive: true, encoding: 'utf8' });

test('what is bundled is not installed as well, and nothing in the package is for one version of Node only', () => {
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect([dependencies, files().filter((file) => /\.(?:cache|map)$/u.test(file))]).toEqual([undefined, []]);
});

test('the notices name every package that has code in the bundles, with its version and license', () => {
  const bundles = files().filter((file) => /^dist\/(?:vendor|code|lib)\/.*\.m?js$/u.test(file));
  // esbuild writes above each module where it is from.
  const paths = bundles.flatMap((file) => [
    ...readFileSync(join(installed, file), 'latin1').matchAll(/^ *\/\/ (node_modules\/\S+)$/gmu),
  ]);
  const folders = paths.map(([, path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path!)![0]);
  const titles = [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(source, folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
    };
    return `${name} ${version}`;
  });
  const notices = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8').split(`\n${'-'.repeat(80)}\n`);
  const named = notices.slice(1).map((notice) => notice.split('\n')[0]!);
  expect(titles).not.toEqual([]);
  expect(named).toEqual([...new Set(titles)].toSorted());
  expect(notices.slice(1).filter((notice) => !/copyright|public domain/iu.test(notice))).toEqual([]);
});

/** Runs a script in the project with an empty home. */
function runScript(
  name: string,
  text: string,
): { readonly code: number | null; readonly stdout: string; readonly stderr: string } {
  writeFileSync(join(root, name), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, name)], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

test('an error that nobody catches shows where it came from, in lines that can be read', () => {
  const { code, stderr } = runScript(
    'uncaught.mjs',
    `import { Host } from 'plugboard';
     const host = await Host.open({ strict: true, watch: false });
     host.fork({ servers: ['nobody'] });`,
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/HostError: .*nobody/u);
  expect(stderr).toMatch(/\n {4}at (?:async )?(?:new )?[\w.#<> []+\]? \(plugboard\/dist\/code\/[\w-]+\.js:\d+:\d+\)/u);
  expect(stderr.length).toBeLessThan(3000);
  expect(stderr.split('\n').filter((line) => line.length > 300)).toEqual([]);
});

const PROBE = `
  const { problems } = await loadConfig({ cwd: process.cwd(), env: process.env });
  console.log(problems.map(({ code }) => code).join(), typeof Session, Object.keys(testing).length > 3);`;
const IMPORTS = `import { loadConfig } from 'plugboard';
  import { Session } from 'plugboard/session';
  import * as testing from 'plugboard/testing';`;

test('a bundle that has the library in it does what the library does', async () => {
  mkdirSync(join(root, '.config/plugboard'), { recursive: true });
  writeFileSync(join(root, '.config/plugboard/config.json'), '{ "mcpServers": { "a": ');
  const plain = runScript('plain.mjs', IMPORTS + PROBE);
  await build({
    stdin: { contents: IMPORTS + PROBE, resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['module'],
    external: ['sharp', '@napi-rs/keyring'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outfile: join(root, 'bundled.mjs'),
    logLevel: 'error',
  });
  const bundled = runScript('bundled.mjs', readFileSync(join(root, 'bundled.mjs'), 'utf8'));
  expect([plain.stderr, bundled.stderr]).toEqual(['', '']);
  expect(plain.stdout).toMatch(/^malformed function true\n$/u);
  expect(bundled.stdout).toBe(plain.stdout);
});
