import { isObject, type JsonObject } from '../../base/json.js';
import { roughSize } from '../../base/rough-size.js';
import { gateLine, gateText } from '../../model/text/text-gate.js';
import type { Implementation } from '../../model/implementation.js';
import { readImplementation, readInstructions } from '../../wire/eras/server-info.js';
import { type ListColumns, bitsOf, CachedList, LIST_KINDS, type ListKind, type ListFreshness } from './cached-list.js';
import { HASH_LENGTH } from './text-marks.js';
import type { MirroredArgument } from '../requests/mirrored-arguments.js';
import type { ListedTools } from './tool-definition.js';
import type { ToolTraits } from './tool-traits.js';

/** What the server's handshake says, and what must be known of its tools before they are called. */
export interface CatalogFacts {
  readonly server: Implementation;
  readonly protocol: string;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly setAside: ListedTools['setAside'];
  readonly traits: readonly (readonly [tool: string, traits: ToolTraits])[];
}

export interface DatedList {
  readonly list: CachedList;
  readonly origin: ListFreshness;
}

/** A server's whole catalog, except the definitions. */
export interface StoredCatalog {
  /** When the catalog was saved: wall-clock time, ms. */
  readonly at: number;
  readonly facts: CatalogFacts;
  readonly lists: ReadonlyMap<ListKind, DatedList>;
}

/** Place of a list's own items in the file: behind all definitions, first the length of each item, then the items. */
export interface OwnPlace {
  /** See `OwnItems`. */
  readonly check: string;
  /** Bytes that the lengths take. */
  readonly head: number;
  /** Bytes of lengths and items together. */
  readonly bytes: number;
}

export const NO_OWN: OwnPlace = { check: '', head: 0, bytes: 0 };

/** Identifies a server's version: lists of another version are not fresh. */
export function versionKey({ server, protocol }: Pick<CatalogFacts, 'server' | 'protocol'>): string {
  return JSON.stringify([server.name, server.version, protocol]);
}

/** A line of JSON, then each list's columns as plain text: splitting is several times faster than parsing names. */
export function writeIndex({ at, facts, lists }: StoredCatalog, own: ReadonlyMap<ListKind, OwnPlace>): string {
  const { capabilities, setAside, traits } = facts;
  const heads: Partial<Record<ListKind, ListHead>> = {};
  let columns = '';
  for (const kind of LIST_KINDS) {
    const dated = lists.get(kind);
    if (!dated) continue;
    const { list, origin } = dated;
    const sections = toSections(list.columns);
    const bytes = sum(list.columns.lengths());
    const sizes = sections.map(({ length }) => length);
    const { at: cameAt, ttlMs, warnings } = origin;
    heads[kind] = {
      at: cameAt,
      ttlMs,
      warnings,
      count: list.columns.names.length,
      bytes,
      sizes,
      own: own.get(kind) ?? NO_OWN,
    };
    columns += sections.join('');
  }
  const head = JSON.stringify({
    at,
    ...facts,
    capabilities: roughSize(capabilities, CAPABILITIES_LIMIT) > CAPABILITIES_LIMIT ? {} : capabilities,
    setAside: setAside.slice(0, SET_ASIDE_LIMIT),
    traits: traits.slice(0, TRAITS_LIMIT),
    lists: heads,
  });
  return `${head}\n${columns}`;
}

interface ListHead {
  readonly at: number;
  readonly ttlMs: number;
  readonly warnings: readonly string[];
  readonly count: number;
  /** Bytes of all definitions together. */
  readonly bytes: number;
  /** Characters in each section. */
  readonly sizes: readonly number[];
  readonly own: OwnPlace;
}

function toSections({ names, labels, bits, hashes, lengths }: ListColumns): readonly string[] {
  return [names.map(toLine).join('\n'), labels().map(toLine).join('\n'), bits, hashes(), lengths().join(' ')];
}

/** The text itself, or JSON when it starts with a quote or holds a newline or a lone surrogate. */
function toLine(text: string): string {
  return /^"|[\n\ud800-\udfff]/u.test(text) ? JSON.stringify(text) : text;
}

/** Throws when the line starts with a quote but is not JSON. */
function fromLine(line: string): string {
  return line.startsWith('"') ? String(JSON.parse(line)) : line;
}

/** A parsed index: the catalog, the bytes of each list's definitions, and the place of its own items. */
export interface ReadIndex {
  readonly stored: StoredCatalog;
  readonly bytes: ReadonlyMap<ListKind, number>;
  readonly own: ReadonlyMap<ListKind, OwnPlace>;
}

/** Parses untrusted text: the file may be forged or damaged. Undefined when it is not a valid index. */
export function readIndex(text: string): ReadIndex | undefined {
  try {
    const headEnd = text.indexOf('\n');
    const head: unknown = JSON.parse(text.slice(0, headEnd));
    return isObject(head) && headEnd !== -1 ? readWith(head, text, headEnd + 1) : undefined;
  } catch {
    return undefined;
  }
}

function readWith(head: { readonly [field: string]: unknown }, text: string, columnsAt: number): ReadIndex | undefined {
  const { at, protocol, capabilities, lists: heads } = head;
  if (!isTime(at) || typeof protocol !== 'string' || protocol.length > 100) return undefined;
  if (!isObject(capabilities) || !isObject(heads)) return undefined;
  const facts: CatalogFacts = {
    server: readImplementation(head['server']),
    protocol,
    capabilities: { ...capabilities },
    instructions: readInstructions(head['instructions']),
    setAside: readSetAside(head['setAside']),
    traits: readAllTraits(head['traits']),
  };
  const server = versionKey(facts);
  const lists = new Map<ListKind, DatedList>();
  const bytes = new Map<ListKind, number>();
  const own = new Map<ListKind, OwnPlace>();
  let start = columnsAt;
  for (const kind of LIST_KINDS) {
    if (heads[kind] === undefined) continue;
    const found = readHead(heads[kind]);
    const length = found && sum(found.sizes);
    const columns = found && (length === 0 ? readNothing(found) : readColumns(found, text, start));
    if (!columns) return undefined;
    const { at: cameAt, ttlMs, warnings } = found;
    const list = new CachedList(columns, undefined, { hash: found.own.check, texts: undefined });
    lists.set(kind, { list, origin: { server, at: cameAt, ttlMs, warnings } });
    bytes.set(kind, found.bytes);
    own.set(kind, found.own);
    start += length!;
  }
  return start === text.length ? { stored: { at, facts, lists }, bytes, own } : undefined;
}

function readHead(head: unknown): ListHead | undefined {
  if (!isObject(head)) return undefined;
  const { at, ttlMs, warnings, count, bytes, sizes, own: place } = head;
  if (!isTime(at) || !isTime(ttlMs) || !Array.isArray(warnings)) return undefined;
  if (!isCount(count) || count > ITEM_LIMIT || !isCount(bytes)) return undefined;
  if (!Array.isArray(sizes) || sizes.length !== 5 || !sizes.every(isCount)) return undefined;
  const texts = warnings.slice(0, WARNING_LIMIT).map((warning) => gateLine(String(warning), { limit: 200 }).text);
  const own = readOwnPlace(place);
  return own && { at, ttlMs, warnings: texts, count, bytes, sizes, own };
}

function readOwnPlace(place: unknown): OwnPlace | undefined {
  if (!isObject(place)) return undefined;
  const { check, head, bytes } = place;
  if (typeof check !== 'string' || check.length > HASH_LENGTH || !isCount(head) || !isCount(bytes)) return undefined;
  return head <= bytes ? { check, head, bytes } : undefined;
}

function readColumns({ count, bytes, sizes }: ListHead, text: string, start: number): ListColumns | undefined {
  let end = start;
  const [names, labels, bits, hashes, lengths] = sizes.map((size) => text.slice(end, (end += size))) as Sections;
  // Decoding ends at the first character that is no digit.
  if (bits.length !== 2 * count || bitsOf(bits).length !== count || hashes.length !== count * HASH_LENGTH)
    return undefined;
  const columns: ListColumns = {
    names: readLines(names, count),
    labels: memoised(() => readLabels(labels, count)),
    bits,
    hashes: () => hashes,
    lengths: memoised(() => readLengths(lengths, { count, bytes })),
  };
  return columns.names.length === count && areNames(columns.names) ? columns : undefined;
}

/** A shortcut: most servers have three empty lists. */
function readNothing({ count, bytes }: ListHead): ListColumns | undefined {
  return count === 0 && bytes === 0 ? NOTHING : undefined;
}

const NOTHING: ListColumns = { names: [], labels: () => [], bits: '', hashes: () => '', lengths: () => [] };

type Sections = [names: string, labels: string, bits: string, hashes: string, lengths: string];

function readLines(section: string, count: number): readonly string[] {
  if (count === 0) return [];
  const lines = section.split('\n');
  return section.includes('"') ? lines.map(fromLine) : lines;
}

/**
 * Labels were clean when they were written, so one check of the whole section detects a changed file; then each label
 * is cleaned. If their number differs from that of the names, all labels are dropped, because none can be assigned.
 */
function readLabels(section: string, count: number): readonly string[] {
  const labels = linesOrNone(section, count);
  if (labels?.length !== count) return Array.from({ length: count }, () => '');
  const isClean = !section.includes('"') && gateText(section).text === section;
  return isClean && labels.every(({ length }) => length <= LABEL_LIMIT)
    ? labels
    : labels.map((label) => gateLine(label, { limit: LABEL_LIMIT }).text);
}

/** Undefined when a line starts with a quote but is not JSON. */
function linesOrNone(section: string, count: number): readonly string[] | undefined {
  try {
    return readLines(section, count);
  } catch {
    return undefined;
  }
}

/** Zeros when the lengths do not add up: the positions would be wrong, so no definition is to be found. */
function readLengths(section: string, { count, bytes }: Pick<ListHead, 'count' | 'bytes'>): readonly number[] {
  const lengths = count === 0 ? [] : section.split(' ').map(Number);
  const isWhole = lengths.length === count && lengths.every(isCount) && sum(lengths) === bytes;
  return isWhole ? lengths : Array.from({ length: count }, () => 0);
}

function memoised<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/** With a function for each: a loop over ten thousand names would be compiled, and that takes longer than to run it. */
function areNames(names: readonly string[]): boolean {
  return names.every(({ length }) => length > 0 && length <= NAME_LIMIT);
}

const isName = (name: unknown): boolean => typeof name === 'string' && name !== '' && name.length <= NAME_LIMIT;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function readSetAside(stored: unknown): ListedTools['setAside'] {
  const list = Array.isArray(stored) ? stored.slice(0, SET_ASIDE_LIMIT) : [];
  return list.flatMap((one: unknown) =>
    isObject(one) && typeof one['tool'] === 'string' && typeof one['reason'] === 'string'
      ? [
          {
            tool: gateLine(one['tool'], { limit: LABEL_LIMIT }).text,
            reason: gateLine(one['reason'], { limit: LABEL_LIMIT }).text,
            ...(one['unread'] === true && { unread: true as const }),
          },
        ]
      : [],
  );
}

function readAllTraits(stored: unknown): CatalogFacts['traits'] {
  const list: unknown[] = Array.isArray(stored) ? stored.slice(0, TRAITS_LIMIT) : [];
  return list.flatMap((one) => {
    if (!Array.isArray(one) || !isName(one[0]) || !isObject(one[1])) return [];
    const { mirrored, needsTask } = one[1];
    if (!Array.isArray(mirrored) || !mirrored.every(isMirrored)) return [];
    return [[one[0] as string, { mirrored, needsTask: needsTask === true }] as const];
  });
}

/** Only a valid header name: a forged file could otherwise inject HTTP headers. */
function isMirrored(value: unknown): value is MirroredArgument {
  if (!isObject(value)) return false;
  const { header, path } = value;
  return (
    typeof header === 'string' &&
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/u.test(header) &&
    Array.isArray(path) &&
    path.every((key) => typeof key === 'string')
  );
}

export const DEFINITION_LIMIT = 2_000_000; // bytes: two schemas of 256,000 characters, in any script
const ITEM_LIMIT = 10_000;
const NAME_LIMIT = 4_096; // length of the longest URI
const LABEL_LIMIT = 200;
const CAPABILITIES_LIMIT = 64_000;
const SET_ASIDE_LIMIT = 1_000;
const TRAITS_LIMIT = 10_000;
const WARNING_LIMIT = 10;
