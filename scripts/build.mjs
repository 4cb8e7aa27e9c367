// dist/lib is the library: ES modules, of which a program that embeds Plugboard loads one, and others when they are needed:
// 150 small ones took node 100 ms to load. dist/inside has every module by itself, for the benches; it is not published.
// dist/plugboard.js is the program: our own code in one file, parts of it run only when a verb asks for them, and each
// dependency bundled into a file beside it. The program is
// CommonJS because node 20 needs 4 ms more, a fifth of its own start, to set up its loader of ES modules; what starts it
// is scripts/launcher.cjs, which hands V8 the compiled form of it.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
// Built beside the old one and put in its place when all of it is there: a build that fails takes nothing away.
const dist = join(root, `.dist-${process.pid}`);
process.on('exit', () => rmSync(dist, { recursive: true, force: true }));
const vendors = ['jsonc-parser', 'smol-toml', 'undici', 'yaml'];

mkdirSync(join(dist, 'lib'), { recursive: true });
writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(dist, 'lib/package.json'), '{ "type": "module", "sideEffects": false }\n');

const tsc = join(root, 'node_modules/typescript/bin/tsc');
for (const options of [
  ['--outDir', join(dist, 'lib'), '--emitDeclarationOnly', '--declaration'],
  ['--outDir', join(dist, 'inside')],
]) {
  const args = [tsc, '-p', 'tsconfig.build.json', ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
writeFileSync(join(dist, 'inside/package.json'), '{ "type": "module", "sideEffects": false }\n');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // A script with a code cache has no import(); what it imports when needed is required when needed.
  supported: { 'dynamic-import': false },
  logLevel: 'warning',
  // jsonc-parser's main file is a UMD wrapper that cannot be bundled; its module field can.
  mainFields: ['module', 'main'],
};
await Promise.all([
  build({
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
    entryPoints: { index: 'src/index.ts', 'testing/index': 'src/testing/index.ts' },
    chunkNames: 'parts/[name]-[hash]',
    outdir: join(dist, 'lib'),
  }),
  build({
    ...common,
    entryPoints: [...vendors.map((name) => ({ in: name, out: name })), { in: 'src/testing/index.ts', out: 'testing' }],
    outdir: join(dist, 'vendor'),
    plugins: [{ name: 'vendors', setup: besideOthers }],
  }),
  build({ ...common, entryPoints: ['src/cli/main.ts'], outfile: join(dist, 'program.js'), plugins: [vendored()] }),
]);
toScript(join(dist, 'program.js'));
copyFileSync(join(root, 'scripts/launcher.cjs'), join(dist, 'plugboard.js'));
chmodSync(join(dist, 'plugboard.js'), 0o755);
keepCompiled();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(dist, join(root, 'dist'));

/**
 * What the launcher runs, with one byte for each character: read in a quarter of the time. What is left of others stands in
 * regular expressions.
 */
function toScript(file) {
  const text = `(function (require) {${readFileSync(file, 'utf8')}\n})`;
  const escaped = text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(file, escaped, 'latin1');
}

function keepCompiled() {
  const script = join(root, 'scripts/code-cache.cjs');
  for (const cache of ['program.cache', 'live.cache']) {
    const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
    const env = { PATH: process.env.PATH, HOME: home };
    const stdio = ['ignore', 'ignore', 'inherit'];
    const run = spawnSync(process.execPath, [script, dist, cache], { cwd: home, env, stdio });
    rmSync(home, { recursive: true, force: true });
    if (run.status !== 0) process.exit(1);
  }
}

/** The kit has our own modules in it once more, and the vendors beside it. */
function besideOthers({ onResolve }) {
  onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) => {
    const isOwn = kind !== 'entry-point' && importer.startsWith(join(root, 'src')) && vendors.includes(path);
    return isOwn ? { path: `./${path}.js`, external: true } : undefined;
  });
}

/** Dependencies are files of their own, read when they are first used. */
function vendored() {
  return {
    name: 'vendored',
    setup({ onResolve }) {
      // The kit of hostile servers is a fifth of all there is, and nothing but two verbs for testing needs it.
      onResolve({ filter: /\/testing\// }, () => ({ path: './vendor/testing.js', external: true }));
      onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('node:')) return undefined;
        if (!vendors.includes(path))
          return { errors: [{ text: `"${path}" is not in the list of vendors of scripts/build.mjs` }] };
        return { path: `./vendor/${path}.js`, external: true };
      });
    },
  };
}
