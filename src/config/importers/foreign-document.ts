import { HostError } from '../../base/errors.js';
import type { FileRead } from '../../edge/files/read-file.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { DocumentReading } from '../document.js';
import { toProblem } from '../problem.js';
import { placeAt, placeFields, type TextPlace } from '../text-place.js';
import type { ImportFile, ForeignFormat } from './importer.js';

/** The bytes to read at most, checked before parsing. */
export function limitOf(format: ForeignFormat, level: ImportFile['level']): number {
  if (format === 'yaml') return YAML_LIMIT;
  return level === 'project' ? PROJECT_LIMIT : USER_LIMIT;
}

const USER_LIMIT = 16_000_000; // Claude Code keeps its history in the same file
const PROJECT_LIMIT = 1_000_000; // untrusted: 16 MB would block for a second
const YAML_LIMIT = 256_000; // the parser takes 2 s per MB; 100 extensions are 40 KB

/** Parses TOML or YAML. Never throws. Messages never quote the text, which may hold secrets. */
export async function parseForeign(read: FileRead, file: string, format: 'toml' | 'yaml'): Promise<DocumentReading> {
  if (read.kind === 'absent') return { kind: 'absent' };
  if (read.kind === 'refused') return { kind: 'broken', problem: toProblem(read.error, file) };
  const { text } = read;
  const parse = await openForeignParser(format);
  const parsed = parse(text);
  if ('message' in parsed) return broken(file, parsed);
  return {
    kind: 'document',
    document: { file, text, value: parsed.value, placeOf: async () => undefined },
    problems: [],
  };
}

/** A text as JSON.parse would return it, or what is wrong with it. */
export type ForeignParse = { readonly value: RawEntry } | ForeignFault;

interface ForeignFault extends Partial<TextPlace> {
  readonly message: string;
}

/** Loads a parser. Contract of the result: never throws. */
export async function openForeignParser(format: 'toml' | 'yaml'): Promise<(text: string) => ForeignParse> {
  const parse = format === 'toml' ? await openToml() : await openYaml();
  return (text) => {
    const parsed = parse(text);
    return 'message' in parsed ? parsed : toPlain(parsed.value);
  };
}

type Parsed = { readonly value: unknown } | ForeignFault;

const DEPTH_LIMIT = 64; // as in our own files
const ALIAS_LIMIT = 100; // people write a handful; each makes the parser walk the whole file
const NODE_LIMIT = 1_000_000; // a few aliases of a long list already exceed any list of servers

async function openToml(): Promise<(text: string) => Parsed> {
  const { parse, TomlError } = await import('smol-toml');
  return (text) => {
    try {
      return { value: parse(text, { maxDepth: DEPTH_LIMIT }) };
    } catch (error) {
      if (!(error instanceof TomlError)) return { message: 'is not TOML' };
      // Only the first line: the others quote the file.
      const reason = error.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /u, '');
      return { message: `is not TOML: ${reason}`, line: error.line, column: error.column };
    }
  };
}

async function openYaml(): Promise<(text: string) => Parsed> {
  const { parseDocument, visit } = await import('yaml');
  return (text) => {
    try {
      // No pretty errors: they quote the file.
      const document = parseDocument(text, { prettyErrors: false, resolveKnownTags: false, merge: false });
      const [error] = document.errors;
      if (error) {
        const reason = error.code.toLowerCase().replaceAll('_', ' ');
        return { message: `is not YAML: ${reason}`, ...placeAt(text, error.pos[0]) };
      }
      let aliases = 0;
      visit(document, { Alias: () => (++aliases > ALIAS_LIMIT ? visit.BREAK : undefined) });
      if (aliases > ALIAS_LIMIT) return { message: `has more than ${ALIAS_LIMIT} aliases` };
      return { value: document.toJS({ maxAliasCount: ALIAS_LIMIT }) ?? {} };
    } catch (error) {
      // A RangeError means nesting too deep for the parser, a ReferenceError aliases that multiply.
      return {
        message:
          error instanceof RangeError
            ? `is nested deeper than ${DEPTH_LIMIT}`
            : 'is not YAML: its aliases expand to too much',
      };
    }
  };
}

/** The value as JSON.parse would return it, or why it cannot be. A cycle counts as too deep. */
function toPlain(root: unknown): { readonly value: RawEntry } | { readonly message: string } {
  let nodes = 0;
  const convert = (value: unknown, depth: number): unknown => {
    if (depth > DEPTH_LIMIT) throw new HostError('config-invalid', `is nested deeper than ${DEPTH_LIMIT}`);
    if (++nodes > NODE_LIMIT) throw new HostError('config-too-large', `holds more than ${NODE_LIMIT} values`);
    if (Array.isArray(value)) return value.map((element) => convert(element, depth + 1));
    if (value instanceof Date) return value.toISOString();
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, convert(element, depth + 1)]));
  };
  try {
    const value = convert(root, 0);
    return isObject(value) ? { value } : { message: 'expected named fields at the top level' };
  } catch (error) {
    return { message: error instanceof HostError ? error.message : 'holds a value that JSON cannot express' };
  }
}

function broken(file: string, { message, line, column }: ForeignFault): DocumentReading {
  const hint =
    line === undefined
      ? 'Check the program that wrote this file'
      : `Fix line ${line}; the other files are loaded without this one`;
  const problem = toProblem(new HostError('config-invalid', message, { hint }), file);
  return {
    kind: 'broken',
    problem: { ...problem, ...placeFields(line === undefined ? undefined : { line, column: column ?? 1 }) },
  };
}
