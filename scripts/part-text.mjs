// What esbuild wrote for a part: an ES module whose imports are of other parts (`part:` and the module's name), of Node
// and of dist/vendor.
import { parseSync } from 'oxc-parser';

const PREFIX = 'part:';

/** The module of our own that is imported; undefined for one of Node or of a package. */
export function moduleOf(source) {
  return source.startsWith(PREFIX) ? source.slice(PREFIX.length) : undefined;
}

export function toImport(module) {
  return `${PREFIX}${module}`;
}

export class PartText {
  /** What is imported: source -> `{ local, imported }`; `*` is the whole module. */
  imports = new Map();
  /** The same by local name: `{ source, imported }`. */
  bindings = new Map();
  /** Exported name -> local name. */
  exported = new Map();
  /** Where an imported name is used: `{ start, end, name, binding, isShorthand, isLater }`. */
  references = [];
  dynamicImports = [];
  /** Statements that a function cannot have. */
  dropped = [];
  /** Edits that make a constant of a default export. */
  defaults = [];
  #code;
  #mutable = new Set();

  constructor(code) {
    this.#code = code;
    const { program, errors } = parseSync('part.js', code, { sourceType: 'module' });
    if (errors.length > 0) throw new Error(errors[0].message);
    // The loader's names must not occur in the code: its own functions would be called instead of the loader's.
    if (/\$(?:part|imported|late\d+)\b/.test(code)) throw new Error('a name of the loader stands in the code');
    for (const node of program.body) this.#readStatement(node);
    this.#mutable = new Set(this.exported.values());
    for (const node of program.body) {
      if (node.type !== 'ImportDeclaration' && !isList(node)) this.#visit(node, false);
    }
  }

  #readStatement(node) {
    if (node.type === 'ImportDeclaration') {
      this.#readImport(node);
    } else if (isList(node)) {
      for (const { local, exported } of node.specifiers) this.exported.set(exported.name, local.name);
    } else if (node.type === 'ExportDefaultDeclaration') {
      this.exported.set('default', 'exportedDefault');
      this.defaults.push({ start: node.start, end: node.declaration.start, text: 'const exportedDefault = ' });
      return;
    } else if (node.type.startsWith('Export')) {
      throw new Error(`esbuild wrote an export that is not understood: ${node.type}`);
    } else return;
    this.dropped.push({ start: node.start, end: node.end });
  }

  #readImport({ specifiers, source: { value: source } }) {
    const known = this.imports.get(source) ?? [];
    this.imports.set(source, known);
    for (const { type, local, imported } of specifiers) {
      const name = type === 'ImportNamespaceSpecifier' ? '*' : type === 'ImportSpecifier' ? imported.name : 'default';
      known.push({ local: local.name, imported: name });
      this.bindings.set(local.name, { source, imported: name });
    }
  }

  /** `isLater`: in a function, so that it runs after the part is loaded, if at all. */
  #visit(node, isLater) {
    if (Array.isArray(node)) for (const one of node) this.#visit(one, isLater);
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
    this.#check(node, isLater);
    if (node.type === 'Identifier') return this.#refer(node, { isLater });
    if (node.type === 'ImportExpression') return this.#readDynamic(node);
    const isFunction = /Function/.test(node.type) || (node.type === 'PropertyDefinition' && !node.static);
    for (const [key, value] of Object.entries(node)) {
      if (isNoReference(node, key)) continue;
      if (key === 'value' && node.shorthand) this.#visitShorthand(node, isLater);
      else this.#visit(value, isLater || (isFunction && key !== 'key'));
    }
  }

  #visitShorthand({ value }, isLater) {
    if (value.type === 'Identifier') this.#refer(value, { isLater, isShorthand: true });
    else this.#visit(value, isLater);
  }

  #refer({ start, end, name }, { isLater, isShorthand = false }) {
    const binding = this.bindings.get(name);
    if (binding !== undefined) this.references.push({ start, end, name, binding, isShorthand, isLater });
  }

  #readDynamic({ start, end, source: { value } }) {
    if (typeof value !== 'string') throw new Error(`what is imported is not known: ${this.#code.slice(start, end)}`);
    this.dynamicImports.push({ source: value, start, end });
  }

  #check(node, isLater) {
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      throw new Error('a part of a script knows nothing of import.meta');
    const target =
      node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : undefined;
    if (isLater && target?.type === 'Identifier' && this.#mutable.has(target.name))
      throw new Error(`"${target.name}" is exported and changes later: other parts would not see it`);
    for (const name of declaredBy(node)) {
      if (this.bindings.has(name)) throw new Error(`"${name}" is imported, and declared once more inside the part`);
    }
  }
}

function isList(node) {
  return node.type === 'ExportNamedDeclaration' && node.declaration === null && node.source === null;
}

/** A name in this place is a field, a label or a new variable. */
function isNoReference({ type, computed, shorthand }, key) {
  switch (type) {
    case 'MemberExpression':
      return key === 'property' && !computed;
    case 'Property':
      return key === 'key' && (!computed || shorthand);
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return key === 'key' && !computed;
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key === 'label';
    case 'MetaProperty':
      return true;
    default:
      return false;
  }
}

/** The names that a node declares. */
function declaredBy(node) {
  switch (node.type) {
    case 'VariableDeclarator':
      return namesIn(node.id);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...namesIn(node.id), ...paramsOf(node).flatMap(namesIn)];
    case 'ClassDeclaration':
    case 'ClassExpression':
      return namesIn(node.id);
    case 'CatchClause':
      return namesIn(node.param);
    default:
      return [];
  }
}

function paramsOf({ params }) {
  return Array.isArray(params) ? params : (params.items ?? []);
}

function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => namesIn(one.type === 'RestElement' ? one.argument : one.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}
