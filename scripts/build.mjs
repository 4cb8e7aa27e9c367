// dist/code is all code of ours, in pieces, for the program and for the library: scripts/code-parts.mjs. dist/plugboard.js (scripts/launcher.cjs)
// is the program and loads the pieces; dist/lib has the doors of the library, the declarations of their types, and in dist/lib/modules what
// bundlers get instead of them, plain ES modules. dist/vendor is each dependency, bundled into a file that is read when it is
// first used; THIRD-PARTY-NOTICES.txt has their licenses. dist/inside has every module by itself, for the benches; it is not published.
// The program is CommonJS because node 20 needs 4 ms more, a fifth of its own start, to set up its loader of ES modules.
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
import { crc32 } from 'node:zlib';
import { build } from 'esbuild';
import { toParts, toPiece } from './code-parts.mjs';
import { pruneDeclarations } from './declarations.mjs';
import { toNotices } from './notices.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
// Built beside the old one and put in its place when all of it is there: a build that fails takes nothing away.
const dist = join(root, `.dist-${process.pid}`);
process.on('exit', () => rmSync(dist, { recursive: true, force: true }));
/** Native: sharp is installed by whoever wants pictures made smaller, keyring where there is a build of it. */
const optional = ['sharp', '@napi-rs/keyring'];
const fileOf = (vendor) => (vendor.startsWith('@') ? vendor.slice(1).replace('/', '-') : vendor.split('/')[0]);
/** Whatever our own code imports. */
const vendors = new Set();
/** What the program and the library are mostly used for. Parts that the same of them take stand in one piece. */
const runs = [
  ['help', '--help'],
  ['list', 'list', '--no-connect'],
  ['list', 'list', '--no-connect', '--json'],
  ['live', 'list'],
  ['live', 'tools'],
  ['live', 'call', 'notes.list_notes'],
  ['terminal'],
  ['library'],
];
const PIECE_BYTES = 16_384;
const doors = { program: 'cli/main', library: 'index', session: 'session/index', testing: 'testing/index' };

for (const folder of ['code', 'lib', 'vendor']) mkdirSync(join(dist, folder), { recursive: true });
writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(dist, 'lib/package.json'), '{ "type": "module", "sideEffects": false }\n');

const tsc = join(root, 'node_modules/typescript/bin/tsc');
for (const options of [
  ['--outDir', join(dist, 'lib'), '--emitDeclarationOnly', '--declaration', '--stripInternal'],
  ['--outDir', join(dist, 'inside')],
]) {
  const args = [tsc, '-p', 'tsconfig.build.json', ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
writeFileSync(join(dist, 'inside/package.json'), '{ "type": "module", "sideEffects": false }\n');
pruneDeclarations(join(dist, 'lib'), ['index.d.ts', 'session/index.d.ts', 'testing/index.d.ts']);

// Nothing is minified: who sees an error come out of it can read where it came from.
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // jsonc-parser's main file is a UMD wrapper that cannot be bundled; its module field can.
  mainFields: ['module', 'main'],
};
const code = await build({
  ...common,
  format: 'esm',
  splitting: true,
  define: { 'import.meta.resolve': 'require.resolve' },
  entryPoints: Object.fromEntries(Object.entries(doors).map(([door, name]) => [door, `src/${name}.ts`])),
  outdir: join(dist, 'code'),
  write: false,
  plugins: [{ name: 'late', setup: late }, besideUs('./vendor')],
});
await build({
  ...common,
  format: 'esm',
  splitting: true,
  sourcemap: true,
  entryPoints: { index: 'src/index.ts', session: 'src/session/index.ts', testing: 'src/testing/index.ts' },
  outdir: join(dist, 'lib/modules'),
  plugins: [besideUs('../../vendor')],
});
const bundled = await build({
  ...common,
  format: 'cjs',
  // A script has no import(); what it imports when needed is required when needed.
  supported: { 'dynamic-import': false },
  entryPoints: [...vendors].map((name) => ({ in: name, out: fileOf(name) })),
  outdir: join(dist, 'vendor'),
  plugins: [{ name: 'vendors', setup: besideOthers }],
});
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), toNotices(root, [code.metafile, bundled.metafile]));
copyFileSync(join(root, 'scripts/code-cache.cjs'), join(dist, 'code-cache.cjs'));
copyFileSync(join(root, 'scripts/library.mjs'), join(dist, 'lib/library.mjs'));
writePieces(toParts(code));
await writeDoors();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(dist, join(root, 'dist'));

function writePieces(parts) {
  const uses = new Map();
  write(() => 'all');
  for (const [kind, ...words] of runs) {
    for (const name of partsOf(kind, words)) uses.set(name, (uses.get(name) ?? new Set()).add(kind));
  }
  rmSync(join(dist, 'code/all.js'));
  const taken = toUsedPieces(parts, uses);
  // What none of them takes stands beside the others of its room.
  write((name) => taken.get(name) ?? /^[a-z]+/.exec(name)[0]);

  function write(pieceOf) {
    let sum = 0;
    for (const piece of new Set(parts.map(({ name }) => pieceOf(name)))) {
      const own = parts.filter(({ name }) => pieceOf(name) === piece);
      const text = toPiece(own, { pieceOf, areRun: own.some(({ name }) => uses.has(name)) });
      sum = crc32(text, sum);
      writeFileSync(join(dist, 'code', `${piece}.js`), text, 'latin1');
    }
    const places = Object.fromEntries(Object.entries(doors).map(([door, name]) => [door, [pieceOf(name), name]]));
    const launcher = readFileSync(join(root, 'scripts/launcher.cjs'), 'utf8')
      .replace('%BUILD%', sum.toString(16))
      .replace('%DOORS%', JSON.stringify(places));
    writeFileSync(join(dist, 'plugboard.js'), launcher);
    chmodSync(join(dist, 'plugboard.js'), 0o755);
  }
}

/** By its name, which piece a part stands in. To read a small one takes longer than to have it in another that is there anyway. */
function toUsedPieces(parts, uses) {
  const sizes = new Map();
  const keyOf = (name) => [...uses.get(name)].join('-');
  const used = parts.filter(({ name }) => uses.has(name));
  for (const { name, size } of used) sizes.set(keyOf(name), (sizes.get(keyOf(name)) ?? 0) + size);
  const large = [...sizes.keys()]
    .filter((key) => sizes.get(key) >= PIECE_BYTES)
    .toSorted((a, b) => a.length - b.length);
  const homeOf = (key) => {
    const kinds = key.split('-');
    return large.find((one) => kinds.every((kind) => one.split('-').includes(kind))) ?? key;
  };
  return new Map(used.map(({ name }) => [name, homeOf(keyOf(name))]));
}

function partsOf(kind, words) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
  try {
    const report = join(home, 'parts.json');
    const args = [join(root, 'scripts/part-usage.cjs'), dist, report, kind, ...words];
    const env = { PATH: process.env.PATH, HOME: home };
    const { status } = spawnSync(process.execPath, args, { cwd: home, env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) process.exit(1);
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The library as one imports it. */
async function writeDoors() {
  const lib = join(dist, 'lib');
  const { open } = await import(pathToFileURL(join(lib, 'library.mjs')).href);
  writeDoor('index.js', 'library', './library.mjs');
  writeDoor('session/index.js', 'session', '../library.mjs');
  writeDoor('testing/index.js', 'testing', '../library.mjs');

  function writeDoor(file, door, from) {
    const names = Object.keys(open(door)).toSorted().join(', ');
    const text = `import { open } from '${from}';\nexport const { ${names} } = open('${door}');\n`;
    writeFileSync(join(lib, file), text);
  }
}

/** A dependency that another one uses is there once. */
function besideOthers({ onResolve }) {
  onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
    kind !== 'entry-point' && vendors.has(path) ? { path: `./${fileOf(path)}.js`, external: true } : undefined,
  );
}

/** Dependencies are files of their own, read when they are first used. */
function besideUs(folder) {
  return {
    name: 'vendors',
    setup({ onResolve }) {
      onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('node:')) return undefined;
        if (optional.includes(path)) return { path, external: true };
        vendors.add(path);
        return { path: `${folder}/${fileOf(path)}.js`, external: true };
      });
    },
  };
}

/** Modules of node's that it has not loaded itself are loaded when something of them is first used: fs/promises takes 2 ms. */
function late({ onResolve, onLoad }) {
  onResolve({ filter: /^node:/ }, ({ path, namespace, kind }) => {
    // What is imported when needed is late enough, and is to have its names: a module of our own would have a default alone.
    if (kind === 'dynamic-import') return { path, external: true };
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
