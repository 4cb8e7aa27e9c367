import type { ParseError } from 'jsonc-parser';
import { HostError } from '../base/errors.js';
import { FILE_BYTES_LIMIT, readBounded } from '../edge/files/read-file.js';
import { isObject } from '../base/json.js';
import type { RawEntry } from '../transports/kind.js';
import { openTextPlaces } from './edit/json-places.js';
import { type JsonScan, scanJson, toPlainJson } from './edit/json-scan.js';
import { type Problem, toProblem } from './problem.js';
import { placeAt, type TextPlace } from './text-place.js';

export type JsonPath = readonly (string | number)[];

/** A node of jsonc-parser's tree. */
export interface JsonNode {
  readonly type: 'object' | 'array' | 'property' | 'string' | 'number' | 'boolean' | 'null';
  readonly offset: number;
  readonly length: number;
  readonly value?: unknown;
  readonly children?: readonly JsonNode[];
  readonly parent?: JsonNode;
}

/** A parsed file of settings or servers: its value, and the place of each part. */
export interface JsonDocument {
  readonly file: string;
  readonly text: string;
  readonly value: RawEntry;
  /** The place of the value at `path`, or of its nearest ancestor that exists. */
  readonly placeOf: (path: JsonPath) => Promise<TextPlace | undefined>;
}

export type DocumentReading =
  | { readonly kind: 'document'; readonly document: JsonDocument; readonly problems: readonly Problem[] }
  | { readonly kind: 'absent' }
  /** `text`: the content, if it could be read at all. */
  | { readonly kind: 'broken'; readonly problem: Problem; readonly text?: string };

export const FILE_DEPTH_LIMIT = 64; // an entry needs 5; a recursive reader must never get 10,000

/** Reads a JSON file; comments and trailing commas are allowed. Never throws: errors are returned as problems. */
export async function readDocument(file: string, options: { readonly limit?: number } = {}): Promise<DocumentReading> {
  const read = readBounded(file, { limit: options.limit ?? FILE_BYTES_LIMIT });
  if (read.kind === 'absent') return { kind: 'absent' };
  if (read.kind === 'refused') return { kind: 'broken', problem: toProblem(read.error, file) };
  return parseDocument(read.text, file);
}

export async function parseDocument(text: string, file: string): Promise<DocumentReading> {
  if (text.trim() === '') {
    return broken({ file, text, message: 'is empty', hint: 'Write {} into it, or remove it', place: START });
  }
  const { depth, duplicates, extras } = scanJson(text);
  if (depth > FILE_DEPTH_LIMIT) {
    const message = `is nested ${depth} levels deep; the limit is ${FILE_DEPTH_LIMIT}`;
    return broken({ file, text, message, hint: 'Check the program that wrote this file', place: START });
  }
  const parsed = await parseText(text, extras);
  if ('message' in parsed) {
    const place = placeAt(text, parsed.offset);
    const { line } = place;
    const what = parsed.remedy === undefined ? `Fix line ${line}` : `Line ${line}: ${parsed.remedy}`;
    const hint = `${what}; the other files are loaded without this one`;
    return broken({ file, text, message: parsed.message, hint, place });
  }
  if (!isObject(parsed.value)) {
    const message = `expected an object, got ${Array.isArray(parsed.value) ? 'an array' : typeof parsed.value}`;
    return broken({ file, text, message, hint: 'Write { "mcpServers": { ... } }', place: START });
  }
  const problems = duplicates.map(({ key, offset }): Problem => {
    const place = placeAt(text, offset);
    return {
      severity: 'warning',
      code: 'duplicate-key',
      file,
      ...place,
      field: key.slice(0, 80),
      message: 'appears twice in one object; the last one counts',
      hint: `Remove one of them (line ${place.line} is the second)`,
    };
  });
  const placeOf = openTextPlaces(text);
  return {
    kind: 'document',
    document: { file, text, value: parsed.value, placeOf: async (path) => placeOf(path) },
    problems,
  };
}

/** Uses JSON.parse, many times faster than a tolerant parser, which is used only to locate a mistake. */
async function parseText(
  text: string,
  extras: JsonScan['extras'],
): Promise<{ value: unknown } | { message: string; remedy?: string | undefined; offset: number }> {
  try {
    return { value: JSON.parse(extras.length === 0 ? text : toPlainJson(text, extras)) as unknown };
  } catch {
    // reported below, with its line
  }
  const { parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  let tree: JsonNode | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true });
  } catch {
    // A badly broken text looks flat to the scan, but is too deep for a parser that continues after errors.
    return { message: 'is not JSON: brackets that do not match', offset: errors[0]?.offset ?? 0 };
  }
  const first = errors[0];
  if (first || !tree) {
    const name = first ? printParseErrorCode(first.error) : 'ValueExpected';
    return { message: `is not JSON: ${sentences[name] ?? name}`, remedy: remedies[name], offset: first?.offset ?? 0 };
  }
  return { value: toValue(tree) };
}

const sentences: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that is neither in quotes nor true, false or null',
  InvalidNumberFormat: 'a malformed number',
  PropertyNameExpected: 'a property name in double quotes was expected',
  ValueExpected: 'a value was expected',
  ColonExpected: 'a colon was expected',
  CommaExpected: 'a comma was expected',
  CloseBraceExpected: 'a closing } was expected',
  CloseBracketExpected: 'a closing ] was expected',
  EndOfFileExpected: 'more text follows after the end',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is not finished',
  InvalidUnicode: 'a malformed \\u escape',
  InvalidEscapeCharacter: 'an escape that JSON does not have',
  InvalidCharacter: 'a character that JSON does not allow there',
};

/** What to write instead, for the most frequent mistakes. */
const remedies: Readonly<Record<string, string>> = {
  InvalidSymbol: 'put names and texts into straight double quotes, "like this"',
  PropertyNameExpected: 'put the name into straight double quotes, "like this"',
  ColonExpected: 'put a colon after the name',
  CommaExpected: 'put a comma between this and the part before it',
  CloseBraceExpected: 'add the } that is missing',
  CloseBracketExpected: 'add the ] that is missing',
  EndOfFileExpected: 'put { and } around the whole file, or remove the extra text',
  UnexpectedEndOfString: 'add the " that is missing',
  InvalidEscapeCharacter: 'write each backslash twice, or / in its place',
};

/** The value as JSON.parse would return it: `__proto__` is an own field, never the prototype. */
export function toValue(node: JsonNode): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  const fields = (node.children ?? []).map((property): [string, unknown] => {
    const [key, value] = property.children ?? [];
    return [String(key?.value), value ? toValue(value) : null];
  });
  return Object.fromEntries(fields);
}

/** The node at a path. Of a duplicate key the last one counts, as in JSON.parse. */
export function findNode(tree: JsonNode, path: JsonPath): JsonNode | undefined {
  let node: JsonNode | undefined = tree;
  for (const part of path) {
    if (typeof part === 'number') node = node?.type === 'array' ? node.children?.[part] : undefined;
    else if (node?.type !== 'object') return undefined;
    else node = node.children?.findLast(({ children }) => children?.[0]?.value === part)?.children?.[1];
  }
  return node;
}

interface Broken {
  readonly file: string;
  readonly text: string;
  readonly message: string;
  readonly hint: string;
  readonly place: TextPlace;
}

const START: TextPlace = { line: 1, column: 1 };

function broken({ file, text, message, hint, place }: Broken): DocumentReading {
  const error = new HostError('config-invalid', message, { hint });
  return { kind: 'broken', problem: { ...toProblem(error, file), ...place }, text };
}
