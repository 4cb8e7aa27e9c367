// Of the declarations that the compiler writes for every module, makes one file for each door, and one that doors share.
// Comments stay. What no door can reach is left out. Names of exports are unique in src/ (test/words.test.ts); a name
// that only one module uses, and that another one has as well, gets a number.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

const SHARED = 'shared.d.ts';

/**
 * `doors`: the doors' files below `lib`. `peers`: packages that a door may import, because its users have them. Throws
 * where a declaration imports another package, which users do not have installed.
 */
export function bundleDeclarations(lib, doors, peers = []) {
  const modules = new Map();
  const load = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file));
    return modules.get(file);
  };
  const doorsOf = new Map(); // declaration -> doors that reach it
  for (const door of doors) {
    const waiting = [...load(join(lib, door)).exports.keys()].map((name) => resolve(load, join(lib, door), name));
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const reached = doorsOf.get(one) ?? new Set();
      if (reached.has(door)) continue;
      doorsOf.set(one, reached.add(door));
      for (const { target } of one.references(load)) if (target.module) waiting.push(target);
    }
  }
  const names = toNames(doorsOf.keys());
  const texts = new Map();
  for (const file of [...doors, SHARED]) {
    const own = [...doorsOf].filter(([, by]) => (by.size > 1 ? SHARED : [...by][0]) === file).map(([one]) => one);
    texts.set(file, toText({ file, own, doorsOf, names, load, lib, peers }));
  }
  for (const entry of readdirSync(lib, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.d.ts')) rmSync(join(entry.parentPath, entry.name));
  }
  removeEmpty(lib);
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(lib, file)), { recursive: true });
    writeFileSync(join(lib, file), text);
  }
}

/** A module's declarations, imports and exports. */
function readModule(file) {
  const code = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, code, { lang: 'dts', sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const module = { file, declarations: new Map(), imports: new Map(), exports: new Map() };
  for (const node of program.body) {
    const { type, declaration } = node;
    if (type === 'ImportDeclaration') {
      for (const { type: kind, local, imported } of node.specifiers) {
        const name =
          kind === 'ImportNamespaceSpecifier' ? '*' : kind === 'ImportDefaultSpecifier' ? 'default' : imported.name;
        module.imports.set(local.name, { from: node.source.value, name });
      }
    } else if (type === 'ExportNamedDeclaration' && !declaration) {
      for (const { local, exported, exportKind } of node.specifiers) {
        const isType = node.exportKind === 'type' || exportKind === 'type';
        module.exports.set(exported.name, { from: node.source?.value, name: local.name, isType });
      }
    } else {
      const own = declaration ?? node;
      if (type.startsWith('Export') && type !== 'ExportNamedDeclaration') throw new Error(`${file} has a ${type}`);
      for (const name of namesOf(own)) {
        const one = module.declarations.get(name) ?? new Declaration(module, name);
        one.parts.push({ node: own, comment: commentBefore(comments, code, node), code });
        module.declarations.set(name, one);
        if (type === 'ExportNamedDeclaration') module.exports.set(name, { name, isType: false });
      }
    }
  }
  return module;
}

class Declaration {
  parts = []; // overloads of a function, or a merged interface
  constructor(module, name) {
    this.module = module;
    this.name = name;
  }

  /** The names in its text that are declared elsewhere in the module, or imported. */
  references(load) {
    this.found ??= this.parts.flatMap(({ node }) =>
      identifiersIn(node).flatMap(({ name, start, end, from }) => {
        const target =
          from === undefined ? find(load, this.module, name) : resolveFrom(load, this.module.file, from, name);
        return target === undefined || target === this ? [] : [{ node, start, end, target }];
      }),
    );
    return this.found;
  }
}

function find(load, module, name) {
  const own = module.declarations.get(name);
  if (own) return own;
  const imported = module.imports.get(name);
  return imported && resolveFrom(load, module.file, imported.from, imported.name);
}

/** The declaration of an import; for a package, where to import it from. */
function resolveFrom(load, file, from, name) {
  if (!from.startsWith('.')) return { from, name };
  if (name === '*') throw new Error(`${file} imports * from ${from}: import the names`);
  return resolve(load, join(dirname(file), from.replace(/\.js$/, '.d.ts')), name);
}

function resolve(load, file, name) {
  const module = load(file);
  const found = module.exports.get(name);
  if (!found) throw new Error(`${file} does not export ${name}`);
  if (found.from !== undefined) return resolveFrom(load, file, found.from, found.name);
  const target = find(load, module, found.name);
  if (!target) throw new Error(`${file} exports ${found.name}, which it does not have`);
  return target;
}

function namesOf(node) {
  if (node.type === 'VariableDeclaration') return node.declarations.map(({ id }) => id.name);
  if (node.id?.name === undefined) throw new Error(`A declaration without a name: ${node.type}`);
  return [node.id.name];
}

/** Identifiers that may name a declaration: no keys, parameters, or right sides of a dot. */
function identifiersIn(root) {
  const found = [];
  const visit = (node, hidden) => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, hidden);
      return;
    }
    if (node === null || typeof node !== 'object') return;
    if (node.type === 'Identifier') {
      if (!hidden.has(node.name))
        found.push({ name: node.name, start: node.start, end: node.start + node.name.length });
      return visit(node.typeAnnotation, hidden);
    }
    if (node.type === 'TSImportType') {
      const { qualifier, source, start, typeArguments } = node;
      found.push({ name: qualifier.name, from: source.value, start, end: qualifier.end });
      return visit(typeArguments, hidden);
    }
    const generics = node.typeParameters?.params?.map(({ name }) => name.name) ?? [];
    const inner = new Set([...hidden, ...generics, ...(node.type === 'TSMappedType' ? [node.key.name] : [])]);
    const inferred = node.type === 'TSConditionalType' ? inferredIn(node.extendsType) : [];
    for (const [field, value] of Object.entries(node)) {
      const isKey = (field === 'key' || field === 'id') && node.computed !== true && node.type !== 'TSMappedType';
      if (isKey) visit(value?.typeAnnotation, inner);
      if (isKey || field === 'name' || (field === 'right' && node.type === 'TSQualifiedName')) continue;
      if (field === 'params' || field === 'parameterName') visitParameters(value, inner, visit);
      else if (field === 'key' && node.type === 'TSMappedType') continue;
      else visit(value, inferred.length > 0 ? new Set([...inner, ...inferred]) : inner);
    }
  };
  visit(root, new Set());
  return found;
}

/** A parameter's name is no reference, its type is. A list of type parameters has the field as well. */
function visitParameters(params, hidden, visit) {
  for (const param of [params].flat()) {
    if (param?.type === 'Identifier') visit(param.typeAnnotation, hidden);
    else if (param?.type === 'RestElement') visit(param.typeAnnotation ?? param.argument?.typeAnnotation, hidden);
    else if (param?.type === 'ObjectPattern') visit(param.typeAnnotation, hidden);
    else visit(param, hidden);
  }
}

function inferredIn(node) {
  if (Array.isArray(node)) return node.flatMap(inferredIn);
  if (node === null || typeof node !== 'object') return [];
  if (node.type === 'TSInferType') return [node.typeParameter.name.name];
  return Object.values(node).flatMap(inferredIn);
}

function commentBefore(comments, code, { start }) {
  const last = comments.findLast(
    ({ type, end }) => type === 'Block' && end <= start && code.slice(end, start).trim() === '',
  );
  return last && last.value.startsWith('*') ? `${code.slice(last.start, last.end)}\n` : '';
}

/** A name of its own for each declaration. */
function toNames(declarations) {
  const names = new Map();
  const taken = new Map();
  for (const one of declarations) {
    const count = (taken.get(one.name) ?? 0) + 1;
    taken.set(one.name, count);
    names.set(one, count === 1 ? one.name : `${one.name}$${count}`);
  }
  return names;
}

function toText({ file, own, doorsOf, names, load, lib, peers }) {
  const imports = new Map();
  const add = (from, word) => imports.set(from, (imports.get(from) ?? new Set()).add(word));
  const wordOf = (target) => {
    if (target.module) {
      if (doorsOf.get(target).size > 1 && file !== SHARED) add('shared', names.get(target));
      return names.get(target);
    }
    const { from, name } = target;
    const isPeer = file !== SHARED && peers.some((peer) => from === peer || from.startsWith(`${peer}/`));
    if (!from.startsWith('node:') && !isPeer)
      throw new Error(`${file} needs "${from}", which is bundled and not installed`);
    const local = name === '*' || name === 'default' ? from.replaceAll(/\W/g, '_') : name;
    add(from, name === '*' ? `* as ${local}` : name === 'default' ? `default as ${local}` : name);
    return local;
  };
  const bodies = own.map((one) => one.parts.map((part) => toBody(one, part, { load, names, wordOf })).join('\n'));
  const exported = file === SHARED ? own.map((one) => names.get(one)) : exportsOf({ file, load, lib, wordOf });
  const head = [...imports].map(([from, words]) =>
    toImport(
      from === 'shared' ? toShared(file) : from,
      [...words].toSorted((a, b) => (a < b ? -1 : 1)),
    ),
  );
  const list = `export { ${exported.toSorted().join(', ')} };`;
  return `${[...head, ...bodies, list].join('\n')}\n`;
}

function exportsOf({ file, load, lib, wordOf }) {
  const path = join(lib, file);
  return [...load(path).exports].map(([name, { isType }]) => {
    const word = wordOf(resolve(load, path, name));
    return `${isType ? 'type ' : ''}${word === name ? name : `${word} as ${name}`}`;
  });
}

function toImport(from, words) {
  const spaces = words.filter((word) => word.startsWith('* as '));
  const named = words.filter((word) => !word.startsWith('* as '));
  return [
    ...spaces.map((word) => `import ${word} from '${from}';`),
    ...(named.length > 0 ? [`import { ${named.join(', ')} } from '${from}';`] : []),
  ].join('\n');
}

function toShared(file) {
  const path = relative(dirname(file), SHARED).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** The text of a declaration, with the names that its references have in this file. */
function toBody(one, { node, comment, code }, { load, names, wordOf }) {
  const changes = one
    .references(load)
    .filter((reference) => reference.node === node)
    .map(({ start, end, target }) => ({ start, end, word: wordOf(target) }));
  const id = node.type === 'VariableDeclaration' ? node.declarations[0].id : node.id;
  changes.push({ start: id.start, end: id.start + one.name.length, word: names.get(one) });
  let text = '';
  let at = node.start;
  for (const { start, end, word } of changes.toSorted((a, b) => a.start - b.start)) {
    text += code.slice(at, start) + word;
    at = end;
  }
  text += code.slice(at, node.end);
  const isAmbient = /^(?:declare|interface|type)\b/.test(text);
  return `${comment}${isAmbient ? '' : 'declare '}${text}`;
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
