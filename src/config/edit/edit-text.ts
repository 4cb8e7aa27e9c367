import { type ParseError, parseTree } from 'jsonc-parser';
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { findNode, type JsonNode, toValue } from '../document.js';
import { canonicalJson } from '../../model/text/canonical-json.js';

type Path = readonly string[];

/**
 * Sets a value in a JSON text and leaves the rest as its author wrote it: comments, key order, blanks, line ends.
 * jsonc-parser only finds the places: its own edits spread one-line neighbours over many lines and move a comment
 * behind a value to the next key.
 */
export function setInText(text: string, path: Path, value: unknown): string {
  const tree = parse(text);
  const existing = findNode(tree, path);
  const edited = existing
    ? splice(text, existing.offset, existing.offset + existing.length, print(value, text, existing))
    : insert(text, tree, path, value);
  return verify(edited, withValue(toValue(parse(text)), path, value));
}

/** Removes the value at `path`, every occurrence of a duplicate key; returns the same text if there is none. */
export function removeFromText(text: string, path: Path): string {
  const tree = parse(text);
  let edited = text;
  for (let removed = 0; ; removed++) {
    const property = findNode(removed === 0 ? tree : parse(edited), path)?.parent;
    if (property?.type !== 'property') break;
    if (removed === DUPLICATES_LIMIT) {
      throw new HostError('config-invalid', `"${path.join('.')}" appears more than ${DUPLICATES_LIMIT} times`);
    }
    edited = removeProperty(edited, property);
  }
  return edited === text ? text : verify(edited, withValue(toValue(tree), path, undefined));
}

const DUPLICATES_LIMIT = 20; // each needs a new parse, and nobody writes a key more often by mistake

function removeProperty(text: string, property: JsonNode): string {
  const siblings = property.parent!.children!;
  const previous = siblings[siblings.indexOf(property) - 1];
  const end = property.offset + property.length;
  const comma = skipBlank(text, end);
  const hasComma = text[comma] === ',';
  let from = property.offset;
  let to = hasComma ? comma + 1 : end;
  // A whole line is removed with its line end and the comment behind it; part of a line with the blanks beside it.
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const restOfLine = REST_OF_LINE.exec(text.slice(to))?.[0];
  if (text.slice(lineStart, from).trim() === '' && restOfLine !== undefined && lineStart > 0) {
    from = text[lineStart - 2] === '\r' ? lineStart - 2 : lineStart - 1;
    to += restOfLine.length;
  } else if (hasComma) {
    while (text[to] === ' ') to++;
  } else {
    while (text[to] === ' ' && text[from - 1] === ' ') to++;
  }
  const edited = splice(text, from, to, '');
  if (siblings.length === 1) return closeUp(edited, property.parent!.offset);
  const before = previous && !hasComma ? skipBlank(text, previous.offset + previous.length) : -1;
  return text[before] === ',' ? splice(edited, before, before + 1, '') : edited;
}

/** Blanks and at most one comment up to the line end. */
const REST_OF_LINE = /^[^\S\r\n]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[^\S\r\n]*)?(?=\r?\n|$)/u;

/** Turns an object without fields or comments into `{}`. */
function closeUp(text: string, open: number): string {
  const blank = /^\s*(?=\})/u.exec(text.slice(open + 1))?.[0] ?? '';
  return splice(text, open + 1, open + 1 + blank.length, '');
}

/** The value at `path`; undefined when there is none. */
export function getFromText(text: string, path: Path): unknown {
  const node = findNode(parse(text), path);
  return node && toValue(node);
}

function insert(text: string, tree: JsonNode, path: Path, value: unknown): string {
  let depth = path.length - 1;
  let parent = findNode(tree, path.slice(0, depth));
  while (!parent) parent = findNode(tree, path.slice(0, --depth));
  if (parent.type !== 'object') {
    throw new HostError(
      'config-invalid',
      `"${path.slice(0, depth).join('.')}" is not an object, so Plugboard cannot add anything to it`,
    );
  }
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return insertProperties(text, parent, [[path[depth]!, nested]]);
}

/** Adds many fields to one object with one parse, instead of one parse for each. */
export function addToText(text: string, path: Path, fields: readonly (readonly [string, unknown])[]): string {
  if (fields.length === 0) return text;
  const parent = findNode(parse(text), path);
  if (!parent) return addToText(setInText(text, path, {}), path, fields);
  if (parent.type !== 'object') {
    throw new HostError(
      'config-invalid',
      `"${path.join('.')}" is not an object, so Plugboard cannot add anything to it`,
    );
  }
  const expected = fields.reduce(
    (whole, [key, value]) => whole.set(key, value),
    new Map(Object.entries(toValue(parent) as object)),
  );
  const edited = insertProperties(text, parent, fields);
  return verify(edited, withValue(toValue(parse(text)), path, Object.fromEntries(expected)));
}

function insertProperties(text: string, parent: JsonNode, fields: readonly (readonly [string, unknown])[]): string {
  const { newline, unit } = styleOf(text);
  const close = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const outer = indentAt(text, parent.offset);
  const spread = (inner: string): string =>
    fields
      .map(([key, value]) => `${newline}${inner}${JSON.stringify(key)}: ${stringify(value, inner, text)}`)
      .join(',');
  if (!last) {
    const inside = text.slice(parent.offset + 1, close).trimEnd();
    const inner = outer + unit;
    const body = `${spread(inner)}${newline}${outer}`;
    return splice(text, parent.offset + 1 + inside.length, close, body);
  }
  const lastEnd = last.offset + last.length;
  const rest = text.slice(lastEnd, close);
  const trailing = text[skipBlank(text, lastEnd)] === ',';
  const separated = trailing ? rest.trimEnd() : `,${rest.trimEnd()}`;
  if (!text.slice(parent.offset, close).includes('\n')) {
    const gap = /\s*$/u.exec(rest)![0];
    const inline = fields.map(([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',');
    return splice(text, lastEnd, close, `${separated}${inline}${trailing ? ',' : ''}${gap}`);
  }
  const inner = indentAt(text, last.offset);
  const added = `${spread(inner)}${trailing ? ',' : ''}`;
  return splice(text, lastEnd, close, `${separated}${added}${newline}${outer}`);
}

/** The offset of the next character that is neither blank nor in a comment. */
function skipBlank(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/u.test(text[at] ?? '')) at++;
    if (text.startsWith('//', at)) {
      while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end === -1) return text.length;
      at = end + 2;
    } else return at;
  }
}

function print(value: unknown, text: string, node: JsonNode): string {
  return stringify(value, indentAt(text, node.offset), text);
}

/** The value as JSON, with inner lines indented below the line that it starts on. */
function stringify(value: unknown, indent: string, text: string): string {
  const { newline, unit } = styleOf(text);
  return JSON.stringify(value, undefined, unit).replaceAll('\n', newline + indent);
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(lineStart, offset))![0];
}

function styleOf(text: string): { readonly newline: string; readonly unit: string } {
  const indent = /\n([ \t]+)["}]/u.exec(text)?.[1];
  return { newline: text.includes('\r\n') ? '\r\n' : '\n', unit: indent ?? '  ' };
}

function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

function parse(text: string): JsonNode {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || tree?.type !== 'object') throw new HostError('config-invalid', 'is not a JSON object');
  return tree;
}

/** Throws unless the text has exactly the expected value: a wrong splice must never reach the disk. */
function verify(text: string, expected: unknown): string {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length === 0 && tree && canonicalJson(toValue(tree)) === canonicalJson(expected)) return text;
  throw new HostError('internal', 'an edit would have damaged the file, so it was not made');
}

/** The value with `value` at `path`, or without the field if `value` is undefined. */
function withValue(whole: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const fields = Object.entries(isObject(whole) ? whole : {});
  const old = fields.find(([name]) => name === key)?.[1];
  const next = rest.length === 0 ? value : withValue(old, rest, value);
  const others = fields.filter(([name]) => name !== key);
  return Object.fromEntries(next === undefined ? others : [...others, [key, next]]);
}
