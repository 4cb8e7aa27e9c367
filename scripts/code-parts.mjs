// The program and the library share one code. A part of it is a function that returns the exports of one or more modules
// (code-modules.mjs says of which), and parts that run together go into one file (a piece, dist/code). A piece is a
// script: V8 compiles only the functions of it that run, and their compiled form is kept (launcher.cjs).
import { moduleOf, PartText } from './part-text.mjs';

/** Modules of Node that it has loaded itself when a program starts; another one is loaded by its first use. */
const LOADED = new Set(['node:fs', 'node:path']);

/**
 * A script in ASCII is read in a quarter of the time; other characters, left only in regular expressions, are escaped.
 * V8 compiles a function in parentheses with the script: if all parts run, that saves parsing them twice.
 */
export function toPiece(parts, { areRun, placeOf }) {
  const texts = parts.map((part) => {
    const text = `function ($part, $imported, require, embedded, importPackaged) {\n${toBody(part, placeOf)}}`;
    return `${JSON.stringify(part.name)}: ${areRun ? `(${text})` : text}`;
  });
  const script = `"use strict";\n({\n${texts.join(',\n')}\n});\n`;
  return script.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * What a part needs at once becomes constants. What it needs later is loaded where it is used: `(late ??= part).name`.
 * Correct only while no exported variable is reassigned and no inner name hides an imported one (PartText checks both).
 */
function toBody(part, placeOf) {
  const text = new PartText(part.code);
  const lates = new Map();
  const edits = text.dropped.map((node) => ({ ...node, text: '' }));
  edits.push(...text.defaults);
  for (const { start, end, name, binding, isShorthand } of text.references) {
    if (isAtOnce(binding.source)) continue;
    const late = toLate(binding);
    edits.push({ start, end, text: isShorthand ? `${name}: ${late}` : late });
  }
  for (const { source, start, end } of text.dynamicImports) {
    const found = moduleOf(source) === undefined ? `$imported(${JSON.stringify(source)})` : toSource(source);
    edits.push({ start, end, text: `Promise.resolve().then(() => ${found})` });
  }
  const constants = [...text.imports]
    .filter(([source]) => isAtOnce(source))
    .flatMap(([source, bindings]) => toConstants(source, bindings));
  const returned = new Map();
  for (const [name, local] of text.exported) {
    const [module, own] = part.toExport(name);
    returned.set(module, [...(returned.get(module) ?? []), toField(own, local)]);
  }
  const modules = [...returned].map(([module, fields]) => `${JSON.stringify(module)}: { ${fields.join(', ')} }`);
  const body = edit(part.code, edits);
  if (lates.size > 0) constants.push(`let ${[...lates.values()].join(', ')};`);
  return `${constants.join('\n')}\n${body}\nreturn { ${modules.join(', ')} };\n`;

  function isAtOnce(source) {
    const module = moduleOf(source);
    return module === undefined ? LOADED.has(source) : part.atOnce.has(module);
  }

  function toSource(source) {
    const module = moduleOf(source);
    if (module === undefined) return `require(${JSON.stringify(source)})`;
    return `$part(${placeOf(module)
      .map((one) => JSON.stringify(one))
      .join(', ')})`;
  }

  /** A package's default export is not a field of what require returns. */
  function toFound({ source, imported }) {
    const isPackaged = imported === 'default' && moduleOf(source) === undefined;
    return isPackaged ? `$imported(${JSON.stringify(source)})` : toSource(source);
  }

  function toLate(binding) {
    const found = toFound(binding);
    const late = lates.get(found) ?? `$late${lates.size}`;
    lates.set(found, late);
    return binding.imported === '*' ? `(${late} ??= ${found})` : `(${late} ??= ${found}).${binding.imported}`;
  }

  function toField(own, local) {
    const binding = text.bindings.get(local);
    if (binding !== undefined && !isAtOnce(binding.source)) return `get ${own}() { return ${toLate(binding)}; }`;
    return own === local ? own : `${own}: ${local}`;
  }

  function toConstants(source, bindings) {
    const fields = [];
    const lines = [];
    for (const { local, imported } of bindings) {
      const binding = { source, imported };
      if (imported === '*') lines.push(`const ${local} = ${toSource(source)};`);
      else if (imported === 'default') lines.push(`const ${local} = ${toFound(binding)}.default;`);
      else fields.push(imported === local ? local : `${imported}: ${local}`);
    }
    return fields.length > 0 ? [`const { ${fields.join(', ')} } = ${toSource(source)};`, ...lines] : lines;
  }
}

function edit(code, edits) {
  let at = 0;
  let result = '';
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}
