// Which modules become one part, and which parts are in one piece. Modules that the same uses of the program need are
// one part: in one scope, names cost nothing. A module that no common use needs is a part by itself, and loaded when
// something of it is used.
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { PartText, moduleOf, toImport } from './part-text.mjs';

const PIECE_BYTES = 24_576;
const GROUP = 'group:';
export const EARLY = 'early ';
const LATER = '.later';

/**
 * Bundles each group of modules into one part. `groups`: part -> modules; `wanted`: module -> the names that others use,
 * for a part of several modules.
 */
export async function bundleGroups(options, { root, groups, wanted }) {
  const groupOf = new Map([...groups].flatMap(([group, modules]) => modules.map((module) => [module, group])));
  const source = join(root, 'src');
  const names = [...groups.keys()];
  const { outputFiles } = await build({
    ...options,
    format: 'esm',
    entryPoints: names.map((name, index) => ({ in: `${GROUP}${name}`, out: String(index) })),
    outdir: join(root, 'parts'),
    write: false,
    metafile: false,
    plugins: [
      { name: 'groups', setup: (hooks) => resolveGroups(hooks, { source, groups, groupOf, wanted }) },
      ...options.plugins,
    ],
  });
  return outputFiles.map(({ path, text }) => {
    const name = names[Number(/(\d+)\.js$/.exec(path)[1])];
    const modules = groups.get(name);
    const toExport = (exported) => {
      const [, index, own] = /^m(\d+)\$(.+)$/.exec(exported) ?? [undefined, 0, exported];
      return [modules[index], own];
    };
    return { name, modules, code: text, size: text.length, toExport };
  });
}

function resolveGroups({ onResolve, onLoad }, { source, groups, groupOf, wanted }) {
  onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.slice(GROUP.length), namespace: 'group' }));
  onLoad({ filter: /^/, namespace: 'group' }, ({ path: name }) => ({
    contents: toEntry(groups.get(name), wanted),
    resolveDir: source,
  }));
  onResolve({ filter: /^\./ }, ({ path, namespace, importer, resolveDir, kind }) => {
    if (namespace === 'group') return { path: resolve(resolveDir, path), sideEffects: true };
    const target = toModule(resolve(resolveDir, path), source);
    const isOwn = kind !== 'dynamic-import' && groupOf.get(target) === groupOf.get(toModule(importer, source));
    return isOwn ? undefined : { path: toImport(target), external: true, sideEffects: false };
  });
}

function toEntry(modules, wanted) {
  if (modules.length === 1) return `export * from './${modules[0]}.ts';`;
  const lines = modules.map((module, index) => {
    const names = [...wanted.get(module)].map((name) => `${name} as m${index}$${name}`);
    return `${names.length > 0 ? `export { ${names.join(', ')} } from` : 'import'} './${module}.ts';`;
  });
  return lines.join('\n');
}

function toModule(file, source) {
  return relative(source, file)
    .replaceAll('\\', '/')
    .replace(/\.[jt]s$/, '');
}

/** How modules depend on each other, by name. `parts` are of one module each. */
export function readModules(parts) {
  return new Map(
    parts.map(({ name, code }) => {
      const { imports, references, dynamicImports, exported } = new PartText(code);
      const own = [...imports].flatMap(([source, names]) => (moduleOf(source) ? [[moduleOf(source), names]] : []));
      const later = dynamicImports.flatMap(({ source }) => moduleOf(source) ?? []);
      const atOnce = references.flatMap(({ isLater, binding }) => (isLater ? [] : (moduleOf(binding.source) ?? [])));
      return [name, { imports: own, later, atOnce: new Set(atOnce), exported: [...exported.keys()] }];
    }),
  );
}

/**
 * The modules that are one part. `uses`: module -> the uses of the program that need it. The program's
 * first module is a part by itself: to load it is to run it, and what is loaded meanwhile must find other parts complete.
 */
export function toGroups(modules, uses, program) {
  const groups = new Map();
  for (const module of modules.keys()) {
    const key = uses.has(module) && module !== program ? keyOf(uses.get(module)) : module;
    groups.set(key, [...(groups.get(key) ?? []), module]);
  }
  return groups;
}

/** What a module needs as soon as it is loaded is needed by whatever needs the module, on any platform. */
export function spreadUses(modules, uses) {
  const open = [...uses.keys()];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    for (const target of modules.get(module).atOnce) {
      const known = uses.get(target) ?? new Set();
      const all = new Set([...known, ...uses.get(module)]);
      if (all.size === known.size) continue;
      uses.set(target, all);
      open.push(target);
    }
  }
}

/**
 * The modules of other parts that are loaded together with a part: those that every use of the part needs. No part
 * waits for itself in this way: such a module is used more often, or is needed as soon as the other one is loaded.
 */
export function toAtOnce(own, { modules, uses }) {
  const kinds = uses.get(own[0]);
  const found = new Set();
  for (const module of own) {
    const { imports, atOnce } = modules.get(module);
    for (const [target] of imports) {
      const known = uses.get(target);
      const isNeeded = kinds !== undefined && known !== undefined && [...kinds].every((kind) => known.has(kind));
      if (isNeeded || atOnce.has(target)) found.add(target);
    }
  }
  return found;
}

/** The names of each module that other parts use; all names of a door. */
export function toWanted(modules, groups, doors) {
  const groupOf = new Map([...groups].flatMap(([group, names]) => names.map((name) => [name, group])));
  const wanted = new Map([...modules.keys()].map((module) => [module, new Set()]));
  for (const [module, { imports, later }] of modules) {
    for (const [target, names] of imports) {
      if (groupOf.get(target) === groupOf.get(module)) continue;
      const all = names.some(({ imported }) => imported === '*');
      add(target, all ? modules.get(target).exported : names.map(({ imported }) => imported));
    }
    for (const target of later) add(target, modules.get(target).exported);
  }
  for (const door of doors) add(door, modules.get(door).exported);
  return wanted;

  function add(module, names) {
    for (const name of names) wanted.get(module).add(name);
  }
}

/** The piece of each part, by the part's name. A small piece joins a larger one: reading another file takes longer. */
export function toPieces(parts, uses) {
  const sizes = new Map();
  const used = parts.filter(({ modules }) => uses.has(modules[0]));
  const keyOfPart = ({ modules }) => keyOf(uses.get(modules[0]));
  for (const part of used) sizes.set(keyOfPart(part), (sizes.get(keyOfPart(part)) ?? 0) + part.size);
  const large = [...sizes.keys()]
    .filter((key) => sizes.get(key) >= PIECE_BYTES)
    .toSorted((a, b) => a.length - b.length);
  const homeOf = (key) => {
    const kinds = key.split('-');
    return large.find((one) => kinds.every((kind) => isLoadedIn(kind, one.split('-')))) ?? key;
  };
  // The parts that no use needs go into one piece for each room.
  return new Map(
    parts.map((part) => [
      part.name,
      uses.has(part.modules[0]) ? homeOf(keyOfPart(part)) : /^[a-z]+/.exec(part.name)[0],
    ]),
  );
}

function isLoadedIn(kind, kinds) {
  return kinds.includes(kind) || kinds.includes(kind.replace(LATER, ''));
}

/** `early`: before a server is started, so that the use needs it afterwards as well. */
function keyOf(kinds) {
  const names = [...kinds].filter((kind) => !kind.startsWith(EARLY)).toSorted((a, b) => (a < b ? -1 : 1));
  return names.map((kind) => (kinds.has(EARLY + kind) ? kind : kind + LATER)).join('-');
}
