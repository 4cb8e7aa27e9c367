// dist/code has all our code, in pieces, for program and library (scripts/code-parts.mjs). dist/plugboard.js
// (scripts/launcher.cjs) is the program and loads the pieces. dist/lib has the library's doors and type declarations,
// dist/lib/modules the plain ES modules that bundlers get instead. dist/vendor has each dependency, bundled into a file
// that is read on first use; THIRD-PARTY-NOTICES.txt has their licenses. dist/inside has every module as its own file,
// for the benches; it is not published. The program is CommonJS: to set up its loader of ES modules node 20 needs 4 ms
// more, a fifth of its own start.
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
import { isolatedDeclarationSync } from 'oxc-transform';
import {
  EARLY,
  bundleGroups,
  readModules,
  spreadUses,
  toAtOnce,
  toGroups,
  toPieces,
  toWanted,
} from './code-modules.mjs';
import { toPiece } from './code-parts.mjs';
import { bundleDeclarations } from './declarations.mjs';
import { toNotices } from './notices.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
// Built in a folder of its own, which replaces dist/ when it is complete: a build that fails changes nothing.
const dist = join(root, `.dist-${process.pid}`);
process.on('exit', () => rmSync(dist, { recursive: true, force: true }));
/** Native, never bundled: users install sharp to have images made smaller, keyring comes where it has a build. */
const optional = ['sharp', '@napi-rs/keyring'];
const fileOf = (vendor) => (vendor.startsWith('@') ? vendor.slice(1).replace('/', '-') : vendor.split('/')[0]);
/** The packages that our own code imports. */
const vendors = new Set();
/** The most common uses of the program and the library. Modules that the same uses need are one part. */
const runs = [
  ['help', '--help'],
  ['list', 'list', '--no-connect'],
  ['list', 'list', '--no-connect', '--json'],
  ['live', 'list'],
  ['tools', 'tools'],
  ['call', 'call', 'notes.list_notes'],
  ['terminal'],
  ['library'],
];
/** The doors for agent frameworks. */
const adapters = ['ai-sdk', 'langchain', 'openai-agents'];
const doors = {
  program: 'cli/main',
  library: 'index',
  session: 'session/index',
  testing: 'testing/index',
  gateway: 'gateway/index',
};

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
const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
bundleDeclarations(
  join(dist, 'lib'),
  ['index.d.ts', 'session/index.d.ts', 'testing/index.d.ts', 'gateway/index.d.ts'],
  Object.keys(peerDependencies),
);

// Nothing is minified, so that a stack trace can be read.
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
const codeOptions = {
  ...common,
  define: { 'import.meta.resolve': 'require.resolve' },
  plugins: [besideUs('./vendor')],
};
const code = await build({
  ...codeOptions,
  format: 'esm',
  splitting: true,
  entryPoints: Object.values(doors).map((name) => `src/${name}.ts`),
  outdir: join(dist, 'code'),
  write: false,
});
await build({
  ...common,
  format: 'esm',
  splitting: true,
  sourcemap: true,
  entryPoints: {
    index: 'src/index.ts',
    session: 'src/session/index.ts',
    testing: 'src/testing/index.ts',
    gateway: 'src/gateway/index.ts',
  },
  outdir: join(dist, 'lib/modules'),
  plugins: [besideUs('../../vendor')],
});
// A door for each agent framework. The framework is the user's own copy, and is not installed here: so the compiler
// cannot check these files (test/frameworks does), and their declarations are made from each file by itself.
await build({
  ...common,
  format: 'esm',
  splitting: true,
  entryPoints: adapters.map((name) => `src/adapters/${name}.ts`),
  outdir: join(dist, 'lib/adapters'),
  external: ['ai', '@langchain/core/*', '@openai/agents'],
});
for (const name of [...adapters, 'adapter-types']) {
  const { code: types, errors } = isolatedDeclarationSync(
    name,
    readFileSync(join(root, `src/adapters/${name}.ts`), 'utf8'),
  );
  if (errors.length > 0) throw new Error(`src/adapters/${name}.ts: ${errors[0].message}`);
  writeFileSync(join(dist, `lib/adapters/${name}.d.ts`), types);
}
const bundled = await build({
  ...common,
  format: 'cjs',
  // A script has no import(): a dynamic import becomes a lazy require.
  supported: { 'dynamic-import': false },
  entryPoints: [...vendors].map((name) => ({ in: name, out: fileOf(name) })),
  outdir: join(dist, 'vendor'),
  plugins: [{ name: 'vendors', setup: besideOthers }],
});
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), toNotices(root, [code.metafile, bundled.metafile]));
copyFileSync(join(root, 'scripts/code-cache.cjs'), join(dist, 'code-cache.cjs'));
copyFileSync(join(root, 'scripts/library.mjs'), join(dist, 'lib/library.mjs'));
await writePieces(Object.keys(code.metafile.inputs).flatMap((file) => /^src\/(.+)\.ts$/.exec(file)?.[1] ?? []));
await writeDoors();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(dist, join(root, 'dist'));

/** First with each module as a part of its own, which shows what the usual runs need; then with what they need together. */
async function writePieces(names) {
  const alone = await bundleGroups(codeOptions, { root, groups: new Map(names.map((name) => [name, [name]])) });
  const modules = readModules(alone);
  writeCode(alone, { pieces: new Map(names.map((name) => [name, 'all'])), modules, uses: new Map() });
  const uses = new Map();
  for (const [kind, ...words] of runs) {
    const { beforeStart, all } = usedBy(kind, words);
    // Whoever needs a module before the first server is started has it afterwards, too.
    for (const name of all) uses.set(name, (uses.get(name) ?? new Set()).add(kind));
    for (const name of beforeStart) uses.get(name).add(`${EARLY}${kind}`);
  }
  rmSync(join(dist, 'code/all.js'));
  spreadUses(modules, uses);
  const groups = toGroups(modules, uses, doors.program);
  const wanted = toWanted(modules, groups, Object.values(doors));
  const parts = await bundleGroups(codeOptions, { root, groups, wanted });
  writeCode(parts, { pieces: toPieces(parts, uses), modules, uses });
}

/** Writes the pieces, and the launcher that knows them. `pieces`: the piece of each part. */
function writeCode(parts, { pieces, modules, uses }) {
  const partOf = new Map(parts.flatMap(({ name, modules: own }) => own.map((module) => [module, name])));
  const placeOf = (module) => [pieces.get(partOf.get(module)), partOf.get(module), module];
  const ready = parts.map((part) => ({ ...part, atOnce: toAtOnce(part.modules, { modules, uses }) }));
  let sum = 0;
  for (const piece of new Set(pieces.values())) {
    const own = ready.filter(({ name }) => pieces.get(name) === piece);
    const text = toPiece(own, { placeOf, areRun: own.some(({ modules: [first] }) => uses.has(first)) });
    sum = crc32(text, sum);
    writeFileSync(join(dist, 'code', `${piece}.js`), text, 'latin1');
  }
  const places = Object.fromEntries(Object.entries(doors).map(([door, name]) => [door, placeOf(name)]));
  const launcher = readFileSync(join(root, 'scripts/launcher.cjs'), 'utf8')
    .replace('%BUILD%', sum.toString(16))
    .replace('%DOORS%', JSON.stringify(places));
  writeFileSync(join(dist, 'plugboard.js'), launcher);
  chmodSync(join(dist, 'plugboard.js'), 0o755);
}

/** What is needed in a new home, and when everything has been there before. */
function usedBy(kind, words) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
  try {
    const found = [partsOf(kind, { words, home }), partsOf(kind, { words, home })];
    return {
      beforeStart: new Set(found.flatMap(({ beforeStart }) => beforeStart)),
      all: new Set(found.flatMap(({ all }) => all)),
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function partsOf(kind, { words, home }) {
  const report = join(home, 'parts.json');
  const args = [join(root, 'scripts/part-usage.cjs'), dist, report, kind, ...words];
  const env = { PATH: process.env.PATH, HOME: home };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`"${words.join(' ')}" fails: ${String(stderr)}`);
  return JSON.parse(readFileSync(report, 'utf8'));
}

/** Writes the modules that users of the library import. */
async function writeDoors() {
  const lib = join(dist, 'lib');
  const { open } = await import(pathToFileURL(join(lib, 'library.mjs')).href);
  writeDoor('index.js', 'library', './library.mjs');
  writeDoor('session/index.js', 'session', '../library.mjs');
  writeDoor('testing/index.js', 'testing', '../library.mjs');
  writeDoor('gateway/index.js', 'gateway', '../library.mjs');

  function writeDoor(file, door, from) {
    const names = Object.keys(open(door)).toSorted().join(', ');
    const text = `import { open } from '${from}';\nexport const { ${names} } = open('${door}');\n`;
    writeFileSync(join(lib, file), text);
  }
}

/** A dependency that other dependencies use is bundled once. */
function besideOthers({ onResolve }) {
  onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
    kind !== 'entry-point' && vendors.has(path) ? { path: `./${fileOf(path)}.js`, external: true } : undefined,
  );
}

/** Dependencies stay in files of their own, which are read on first use. */
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
