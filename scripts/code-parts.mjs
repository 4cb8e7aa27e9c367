// The program and the library share one code. esbuild splits it at dynamic imports; each chunk becomes a function (a
// part), and parts that run together go into one file (a piece, dist/code). A piece is a script: V8 compiles only
// the parts of it that run, and their compiled form is kept (scripts/launcher.cjs).
import { basename } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Returns the name, size and text of each chunk of esbuild's output (split ES modules); `text` needs the piece of each part. */
export function toParts({ outputFiles, metafile }) {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const names = new Map();
  for (const { path } of outputFiles) {
    const file = basename(path);
    const name = nameOf(outputs.get(file), file);
    const isTaken = [...names.values()].includes(name);
    names.set(file, isTaken ? `${name} ${file}` : name);
  }
  return outputFiles.map(({ path, text }) => ({
    name: names.get(basename(path)),
    size: text.length,
    render: (pieceOf) => toFunction(text, { names, pieceOf }),
  }));
}

/**
 * A script in ASCII is read in a quarter of the time; other characters, left only in regular expressions, are escaped.
 * V8 compiles a function in parentheses with the script: if all parts run, that saves parsing them twice.
 */
export function toPiece(parts, { pieceOf, areRun }) {
  const texts = parts.map(({ name, render }) => {
    const text = `function ($part, $imported, require, embedded, importPackaged) {\n${render(pieceOf)}}`;
    return `${JSON.stringify(name)}: ${areRun ? `(${text})` : text}`;
  });
  const script = `"use strict";\n({\n${texts.join(',\n')}\n});\n`;
  return script.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The module that the part was split off for, else the largest module in it. */
function nameOf({ entryPoint, inputs }, file) {
  const [largest] = Object.entries(inputs).toSorted(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
  return (entryPoint ?? largest?.[0] ?? file).replace(/^src\//, '').replace(/\.ts$/, '');
}

/**
 * Imports become constants, exports the return value. This is correct only while no exported variable is reassigned
 * (checked here) and no two chunks import each other statically (esbuild creates no such cycles).
 */
function toFunction(text, { names, pieceOf }) {
  const { program, errors } = parseSync('part.js', text, { sourceType: 'module' });
  if (errors.length > 0) throw new Error(errors[0].message);
  // The loader's names must not occur in the code: its own functions would be called instead of the loader's.
  if (/\$(?:part|imported)\b/.test(text)) throw new Error('a name of the loader stands in the code');
  const edits = [];
  const exported = new Map();
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') edits.push({ ...node, text: toConstants(node) });
    else if (node.type === 'ExportNamedDeclaration' && node.declaration === null && node.source === null) {
      for (const { local, exported: known } of node.specifiers) exported.set(known.name, local.name);
      edits.push({ ...node, text: '' });
    } else if (node.type === 'ExportDefaultDeclaration') {
      exported.set('default', 'exportedDefault');
      edits.push({ start: node.start, end: node.declaration.start, text: 'const exportedDefault = ' });
    } else if (node.type.startsWith('Export'))
      throw new Error(`esbuild wrote an export that is not understood: ${node.type}`);
  }
  const mutable = new Set(exported.values());
  visit(program.body, false);
  let result = text;
  for (const edit of edits.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, edit.start) + edit.text + result.slice(edit.end);
  }
  const returned = [...exported].map(([name, local]) => (name === local ? name : `${name}: ${local}`));
  return `${result}\nreturn { ${returned.join(', ')} };\n`;

  function sourceOf(specifier) {
    const name = specifier.startsWith('./') ? names.get(basename(specifier)) : undefined;
    return name && `$part(${JSON.stringify(pieceOf(name))}, ${JSON.stringify(name)})`;
  }

  function toConstants({ specifiers, source: { value } }) {
    const source = sourceOf(value) ?? `require(${JSON.stringify(value)})`;
    if (specifiers.length === 0) return `${source};`;
    const fields = [];
    const constants = [];
    for (const { type, local, imported } of specifiers) {
      if (type === 'ImportNamespaceSpecifier') constants.push(`const ${local.name} = ${source};`);
      else if (type === 'ImportSpecifier')
        fields.push(imported.name === local.name ? local.name : `${imported.name}: ${local.name}`);
      else if (sourceOf(value) === undefined)
        constants.push(`const ${local.name} = $imported(${JSON.stringify(value)}).default;`);
      else fields.push(`default: ${local.name}`);
    }
    if (fields.length > 0) constants.push(`const { ${fields.join(', ')} } = ${source};`);
    return constants.join(' ');
  }

  function visit(node, isInFunction) {
    if (Array.isArray(node)) for (const one of node) visit(one, isInFunction);
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
    if (node.type === 'ImportExpression') {
      const { value } = node.source;
      if (typeof value !== 'string')
        throw new Error(`what is imported is not known: ${text.slice(node.start, node.end)}`);
      const source = sourceOf(value) ?? `$imported(${JSON.stringify(value)})`;
      edits.push({ ...node, text: `Promise.resolve().then(() => ${source})` });
      return;
    }
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      throw new Error('a part of a script knows nothing of import.meta');
    const target =
      node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : undefined;
    if (isInFunction && target?.type === 'Identifier' && mutable.has(target.name))
      throw new Error(`"${target.name}" is exported and changes later: other parts would not see it`);
    const isFunction = isInFunction || /Function/.test(node.type);
    for (const [key, value] of Object.entries(node)) if (key !== 'type') visit(value, isFunction);
  }
}
