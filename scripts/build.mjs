// dist/lib is the library: doors that hand V8 the compiled form of it (scripts/library.mjs), and in dist/lib/modules what
// bundlers get instead of them, plain ES modules. dist/inside has every module by itself, for the benches; it is not published.
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
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
// Built beside the old one and put in its place when all of it is there: a build that fails takes nothing away.
const dist = join(root, `.dist-${process.pid}`);
process.on('exit', () => rmSync(dist, { recursive: true, force: true }));
const vendors = ['jsonc-parser', 'oauth4webapi', 'smol-toml', 'undici/lib/dispatcher/pool.js', 'yaml', 'zod'];
/** Native: sharp is installed by whoever wants pictures made smaller, keyring where there is a build of it. */
const optional = ['sharp', '@napi-rs/keyring'];
const fileOf = (vendor) => (vendor.startsWith('@') ? vendor.slice(1).replace('/', '-') : vendor.split('/')[0]);

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
  define: { 'import.meta.resolve': 'require.resolve' },
  logLevel: 'warning',
  // jsonc-parser's main file is a UMD wrapper that cannot be bundled; its module field can.
  mainFields: ['module', 'main'],
};
// All doors in one: what is thrown behind one of them is an instance of what the other one gives out.
const LIBRARY = `
  export * from './src/index.ts';
  export const loadSession = () => require('./src/session/index.ts');
  export const loadTesting = () => require('./src/testing/index.ts');
`;
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
    entryPoints: { index: 'src/index.ts', session: 'src/session/index.ts', testing: 'src/testing/index.ts' },
    chunkNames: 'parts/[name]-[hash]',
    outdir: join(dist, 'lib/modules'),
  }),
  build({
    ...common,
    stdin: { contents: LIBRARY, resolveDir: root },
    packages: 'external',
    outfile: join(dist, 'lib/library.js'),
    plugins: [{ name: 'late', setup: late }],
  }),
  build({
    ...common,
    entryPoints: [
      ...vendors.map((name) => ({ in: name, out: fileOf(name) })),
      { in: 'src/testing/index.ts', out: 'testing' },
    ],
    outdir: join(dist, 'vendor'),
    plugins: [{ name: 'vendors', setup: besideOthers }],
  }),
  build({
    ...common,
    // A third less to read and to keep compiled. Not in the library: whoever embeds it looks at its objects.
    minifyIdentifiers: true,
    entryPoints: ['src/cli/main.ts'],
    outfile: join(dist, 'program.js'),
    plugins: [{ name: 'late', setup: late }, vendored()],
  }),
]);
toScript(join(dist, 'program.js'), 'require, embedded');
toScript(join(dist, 'lib/library.js'), 'require, module');
copyFileSync(join(root, 'scripts/launcher.cjs'), join(dist, 'plugboard.js'));
chmodSync(join(dist, 'plugboard.js'), 0o755);
keepCompiled();
await makeDoors();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(dist, join(root, 'dist'));

/**
 * What the launcher runs, with one byte for each character: read in a quarter of the time. What is left of others stands in
 * regular expressions.
 */
function toScript(file, parameters) {
  const text = `(function (${parameters}) {${readFileSync(file, 'utf8')}\n})`;
  const escaped = text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(file, escaped, 'latin1');
}

function keepCompiled() {
  const script = join(root, 'scripts/code-cache.cjs');
  for (const cache of ['program.cache', 'live.cache', 'session.cache']) {
    const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
    const env = { PATH: process.env.PATH, HOME: home };
    const stdio = ['ignore', 'ignore', 'inherit'];
    const run = spawnSync(process.execPath, [script, dist, cache], { cwd: home, env, stdio });
    rmSync(home, { recursive: true, force: true });
    if (run.status !== 0) process.exit(1);
  }
}

/** The library as one imports it. */
async function makeDoors() {
  const lib = join(dist, 'lib');
  copyFileSync(join(root, 'scripts/library.mjs'), join(lib, 'library.mjs'));
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
  for (const turn of ['first', 'second']) {
    const args = [join(root, 'scripts/library-cache.mjs'), lib, turn];
    const run = spawnSync(process.execPath, args, {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: 'inherit',
    });
    if (run.status !== 0) process.exit(1);
  }
  rmSync(home, { recursive: true, force: true });
  const { library } = await import(pathToFileURL(join(lib, 'library.mjs')).href);
  const { loadSession, loadTesting, ...main } = library;
  writeDoor('index.js', Object.keys(main), "import { library } from './library.mjs';");
  writeInnerDoor('session', loadSession, 'loadSession');
  writeInnerDoor('testing', loadTesting, 'loadTesting');

  /** Run when somebody comes through it. */
  function writeInnerDoor(room, load, name) {
    const start = `import { library } from '../library.mjs';\nconst inside = library.${name}();`;
    writeDoor(`${room}/index.js`, Object.keys(load()), start, 'inside');
  }

  function writeDoor(file, names, start, from = 'library') {
    writeFileSync(join(lib, file), `${start}\nexport const { ${names.toSorted().join(', ')} } = ${from};\n`);
  }
}

/** The kit has our own modules in it once more, and the vendors beside it. */
function besideOthers({ onResolve }) {
  onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) => {
    if (kind === 'entry-point') return undefined;
    const isOwn = importer.startsWith(join(root, 'src')) && vendors.includes(path);
    return isOwn ? { path: `./${fileOf(path)}.js`, external: true } : undefined;
  });
}

/** Modules of node's that it has not loaded itself are loaded when something of them is first used: fs/promises takes 2 ms. */
function late({ onResolve, onLoad }) {
  onResolve({ filter: /^node:/ }, ({ path, namespace }) => {
    // Of node:tls somebody asks whether it has what only newer versions have.
    const isAsItIs = ['node:fs', 'node:path', 'node:tls'].includes(path) || namespace === 'late';
    return isAsItIs ? { path, external: true } : { path, namespace: 'late' };
  });
  onLoad({ filter: /^/, namespace: 'late' }, async ({ path }) => {
    const names = Object.keys(await import(path)).filter((name) => name !== 'default');
    const fields = names.map((name) => `get ${name}() { return require('${path}').${name}; }`);
    return { contents: `module.exports = { ${fields.join(', ')} };` };
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
        if (optional.includes(path)) return { path, external: true };
        if (!vendors.includes(path))
          return { errors: [{ text: `"${path}" is not in the list of vendors of scripts/build.mjs` }] };
        return { path: `./vendor/${fileOf(path)}.js`, external: true };
      });
    },
  };
}
