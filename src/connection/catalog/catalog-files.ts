import { readdir, rm, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type CacheFile, readCacheFile, writeCacheFile } from '../../edge/files/cache-file.js';
import { nextTurn } from '../../edge/clock.js';
import { digest } from '../../edge/files/digest.js';
import { randomUUID } from '../../edge/random-hex.js';
import {
  DEFINITION_LIMIT,
  NO_OWN,
  type OwnPlace,
  type ReadIndex,
  readIndex,
  type StoredCatalog,
  writeIndex,
} from './catalog-index.js';
import { type CachedList, LIST_KINDS, type ListKind } from './cached-list.js';
import { hasher } from './text-marks.js';

/** The catalog of one server on disk. A cache: without the file, the server is asked again. */
export interface CachedCatalogFile {
  /** Everything except the definitions, read synchronously. */
  get(): StoredCatalog | undefined;
  /** The definition that the file holds now, as JSON, with its hash. */
  find(kind: ListKind, name: string): Definition | undefined;
  /** All of these definitions, in one read; undefined when one of them is missing. */
  findAll(kind: ListKind, names: readonly string[]): readonly Definition[] | undefined;
  /** What `find` gives, and the fields of the server's own item that the definition does not have. */
  findWithOwn(kind: ListKind, name: string): DefinitionWithOwn | undefined;
  /** Returns the kinds of lists that are on disk now. Never rejects. */
  set(catalog: StoredCatalog): Promise<ReadonlySet<ListKind>>;
  /** Never rejects. */
  delete(): Promise<void>;
}

export interface Definition {
  readonly text: string;
  readonly hash: string;
}

export interface DefinitionWithOwn {
  readonly definition: Definition;
  readonly own: string | undefined;
}

/**
 * Catalog files in a folder, one for each server and account. A file is a line with the length of the index, the index,
 * and the definitions one after the other; a definition is read when it is asked for.
 */
export function catalogFiles(folder: string, now: () => number = Date.now): (key: string) => CachedCatalogFile {
  const shared: Shared = { folder, now, scratch: Buffer.allocUnsafe(SCRATCH_BYTES), isSwept: false };
  return (key) => new CatalogFile(shared, `${folder}${sep}${SAFE_KEY.test(key) ? key : digest(key)}${ENDING}`);
}

const SAFE_KEY = /^[a-z0-9-]{1,100}$/u;
const ENDING = '.catalog';

interface Shared {
  readonly folder: string;
  readonly now: () => number;
  /** Read buffer that all files share: a small file fits into it, and a start may read five hundred. */
  readonly scratch: Buffer;
  isSwept: boolean;
}

/** Byte positions of a list's definitions and own items in the file. */
class Placed {
  readonly list: CachedList;
  readonly start: number;
  readonly own: OwnPlace & { readonly start: number };
  #definitions: Ranges | undefined;
  #own: Ranges | undefined;

  constructor(list: CachedList, start: number, own: OwnPlace & { readonly start: number }) {
    this.list = list;
    this.start = start;
    this.own = own;
  }

  rangeAt(position: number): Range {
    return (this.#definitions ??= new Ranges(this.list.columns.lengths(), this.start)).at(position);
  }

  ownRangeAt(position: number, file: CacheFile): Range {
    const { start, head } = this.own;
    const lengths = (): number[] => file.read(start, head).toString('latin1').split(' ').map(Number);
    return (this.#own ??= new Ranges(lengths(), start + head)).at(position);
  }
}

interface Range {
  readonly from: number;
  readonly length: number;
}

/** Byte ranges of consecutive texts, computed from their lengths. */
class Ranges {
  readonly #lengths: readonly number[];
  readonly #ends: Float64Array;

  constructor(lengths: readonly number[], start: number) {
    let end = start;
    this.#lengths = lengths;
    this.#ends = Float64Array.from(lengths, (each) => (end += each));
  }

  at(position: number): Range {
    const length = this.#lengths[position]!;
    return { from: this.#ends[position]! - length, length };
  }
}

interface Contents {
  /** Unique for each written file, so that positions in one file are never used to read another. */
  readonly id: string;
  readonly stored: StoredCatalog;
  readonly places: ReadonlyMap<ListKind, Placed>;
  /** Bytes of the whole file. */
  readonly size: number;
}

class CatalogFile implements CachedCatalogFile {
  readonly #shared: Shared;
  readonly #path: string;
  #contents: Contents | undefined;

  constructor(shared: Shared, path: string) {
    this.#shared = shared;
    this.#path = path;
  }

  get(): StoredCatalog | undefined {
    this.#contents = readCacheFile(this.#path, (file) => readContents(file, this.#shared.scratch));
    return this.#contents?.stored;
  }

  find(kind: ListKind, name: string): Definition | undefined {
    return this.findAll(kind, [name])?.[0];
  }

  async set(catalog: StoredCatalog): Promise<ReadonlySet<ListKind>> {
    try {
      const lists = new Map<ListKind, Iterable<string | Buffer>>();
      const written = new Map<ListKind, WrittenOwn>();
      for (const kind of LIST_KINDS) {
        const list = catalog.lists.get(kind)?.list;
        const isFit = list?.columns.lengths().every((length) => length <= DEFINITION_LIMIT);
        const pieces = isFit && (await this.#piecesOf(kind, list!));
        if (!pieces) continue;
        lists.set(kind, pieces);
        written.set(kind, this.#ownOf(kind, list!));
      }
      const kept = { ...catalog, lists: new Map([...catalog.lists].filter(([kind]) => lists.has(kind))) };
      const own = new Map(Array.from(written, ([kind, { place }]) => [kind, place]));
      const index = Buffer.from(writeIndex(kept, own));
      const bytes = new Map(Array.from(kept.lists, ([kind, { list }]) => [kind, bytesOf(list)]));
      const contents = toContents(randomUUID().slice(0, ID_LENGTH), index.length, { stored: kept, bytes, own });
      const { size } = contents;
      if (index.length > INDEX_LIMIT || size > FILE_LIMIT) return NONE;
      const pieces = [...lists.values(), ...Array.from(written.values(), (one) => one.pieces)];
      await writeCacheFile(this.#path, allPieces(toPrefix(contents.id, index.length, size), index, pieces));
      this.#contents = contents;
      await this.#sweep();
      return new Set(lists.keys());
    } catch {
      return NONE; // nothing is saved; the next run asks the server
    }
  }

  async delete(): Promise<void> {
    this.#contents = undefined;
    await rm(this.#path, { force: true }).catch(() => {});
  }

  /** The contents of the file as it is now: another program may have replaced it since the last read. */
  #open(file: CacheFile): Contents | undefined {
    const prefix = readPrefix(file, this.#shared.scratch.subarray(0, PREFIX_LENGTH));
    if (!prefix || prefix.id !== this.#contents?.id) this.#contents = readContents(file, this.#shared.scratch);
    return this.#contents;
  }

  findAll(kind: ListKind, names: readonly string[]): readonly Definition[] | undefined {
    return readCacheFile(this.#path, (file) => {
      const place = this.#open(file)?.places.get(kind);
      const positions = names.map((name) => place?.list.positionOf(name));
      return place && isKnown(positions) ? readDefinitions(file, place, positions) : undefined;
    });
  }

  findWithOwn(kind: ListKind, name: string): DefinitionWithOwn | undefined {
    return readCacheFile(this.#path, (file) => {
      const place = this.#open(file)?.places.get(kind);
      const position = place?.list.positionOf(name);
      if (position === undefined) return undefined;
      const definition = readDefinitions(file, place!, [position])?.[0];
      return definition && { definition, own: readOwn(file, place!, position) };
    });
  }

  /** The own items of a list, from memory or from the file that is about to be replaced; none when neither has them. */
  #ownOf(kind: ListKind, list: CachedList): WrittenOwn {
    const { own } = list;
    if (own.texts) return toWrittenOwn(own.hash, own.texts);
    const place = readCacheFile(this.#path, (file) => this.#open(file))?.places.get(kind);
    if (place?.own.check !== own.hash || !place.list.hasNamesOf(list)) return { place: NO_OWN, pieces: [] };
    const { start, bytes } = place.own;
    return { place: place.own, pieces: this.#copied(place.list, start, start + bytes) };
  }

  /** The definitions of a list, from memory or from the file to be replaced; undefined when one is in neither. */
  async #piecesOf(kind: ListKind, list: CachedList): Promise<Iterable<string | Buffer> | undefined> {
    if (list.texts || list.columns.names.length === 0) return list.texts ?? [];
    const place = readCacheFile(this.#path, (file) => this.#open(file))?.places.get(kind);
    if (place?.list.columns === list.columns)
      return this.#copied(place.list, place.start, place.start + bytesOf(place.list));
    // Another program wrote this file. Its definitions are usable if their hashes are the same.
    const texts: string[] = [];
    const { names } = list.columns;
    for (let at = 0; at < names.length; at += FOUND_AT_ONCE) {
      await nextTurn();
      const found = this.findAll(kind, names.slice(at, at + FOUND_AT_ONCE));
      if (!found?.every(({ hash }, index) => hash === list.hashAt(at + index))) return undefined;
      for (const { text } of found) texts.push(text);
    }
    return texts;
  }

  /** Copies bytes unchecked: a definition is checked when it is read. Throws when the file is replaced meanwhile. */
  *#copied(list: CachedList, start: number, end: number): Generator<Buffer> {
    for (let from = start; from < end; from += PIECE_LENGTH) {
      const length = Math.min(PIECE_LENGTH, end - from);
      const piece = readCacheFile(this.#path, (file) =>
        [...(this.#open(file)?.places.values() ?? [])].some((place) => place.list === list)
          ? file.read(from, length)
          : undefined,
      );
      if (piece?.length !== length) throw new Error('the catalog was replaced while it was copied');
      yield piece;
    }
  }

  /** Deletes some old files, once in a run: every edit of an entry changes its key and leaves a file behind. */
  async #sweep(): Promise<void> {
    if (this.#shared.isSwept) return;
    this.#shared.isSwept = true;
    const { folder, now } = this.#shared;
    const names = (await readdir(folder)).filter((name) => name.includes(ENDING));
    // Starts at another file each time, so that a large folder is swept completely over several runs.
    const first = now() % Math.max(names.length, 1);
    for (const name of [...names.slice(first), ...names.slice(0, first)].slice(0, SWEPT_AT_ONCE)) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (!found) continue; // other programs write and delete here as well
      const { mtimeMs } = found;
      const lifetime = name.endsWith('.tmp') ? LEFTOVER_MS : LIFETIME;
      if (now() - mtimeMs > lifetime) await rm(path, { force: true });
    }
  }
}

/** The own items of a list, as they are written to the file. */
interface WrittenOwn {
  readonly place: OwnPlace;
  readonly pieces: Iterable<string | Buffer>;
}

function toWrittenOwn(hash: string, texts: readonly string[]): WrittenOwn {
  if (texts.length === 0) return { place: NO_OWN, pieces: [] };
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const head = lengths.join(' ');
  const bytes = lengths.reduce((sum, length) => sum + length, head.length);
  return { place: { check: hash, head: head.length, bytes }, pieces: [head, ...texts] };
}

/** Joins texts to chunks: one write for each text would be slow, one for all would block the event loop. */
function* allPieces(
  prefix: string,
  index: Buffer,
  lists: Iterable<Iterable<string | Buffer>>,
): Generator<string | Buffer> {
  yield prefix;
  yield index;
  for (const pieces of lists) {
    let joined = '';
    for (const piece of pieces) {
      if (typeof piece !== 'string') yield piece;
      else if ((joined += piece).length >= PIECE_LENGTH) {
        yield joined;
        joined = '';
      }
    }
    yield joined;
  }
}

function toPrefix(id: string, indexLength: number, size: number): string {
  return `${MAGIC}${id} ${String(indexLength).padStart(NUMBER_LENGTH)} ${String(size).padStart(NUMBER_LENGTH)}\n`;
}

interface Prefix {
  readonly id: string;
  readonly indexLength: number;
  /** The first bytes of the file, as many as fit into the buffer. */
  readonly head: Buffer;
}

/** Fills the whole buffer in the first read, because most files fit into it. */
function readPrefix(file: CacheFile, buffer: Buffer): Prefix | undefined {
  if (file.size > FILE_LIMIT) return undefined;
  const head = file.read(0, Math.min(file.size, buffer.length), buffer);
  const prefix = head.toString('latin1', 0, PREFIX_LENGTH);
  if (!prefix.startsWith(MAGIC) || !prefix.endsWith('\n')) return undefined;
  const id = prefix.slice(MAGIC.length, MAGIC.length + ID_LENGTH);
  const indexLength = Number(prefix.slice(-2 * NUMBER_LENGTH - 2, -NUMBER_LENGTH - 2));
  const size = Number(prefix.slice(-NUMBER_LENGTH - 1));
  const isWhole = size === file.size && Number.isInteger(indexLength) && indexLength > 0 && indexLength <= INDEX_LIMIT;
  return isWhole && PREFIX_LENGTH + indexLength <= size ? { id, indexLength, head } : undefined;
}

function readContents(file: CacheFile, scratch: Buffer): Contents | undefined {
  const prefix = readPrefix(file, scratch);
  if (!prefix) return undefined;
  const { id, indexLength, head } = prefix;
  const end = PREFIX_LENGTH + indexLength;
  const isInHead = end <= head.length;
  const bytes = isInHead ? head.subarray(PREFIX_LENGTH, end) : file.read(PREFIX_LENGTH, indexLength);
  const index = readIndex(bytes.toString());
  const contents = index && toContents(id, indexLength, index);
  return contents?.size === file.size ? contents : undefined;
}

function isKnown(positions: readonly (number | undefined)[]): positions is readonly number[] {
  return !positions.includes(undefined);
}

/** The definitions at these positions, undefined when one is not what the index says. Neighbours are read together. */
function readDefinitions(file: CacheFile, place: Placed, positions: readonly number[]): Definition[] | undefined {
  const found: Definition[] = [];
  const toHash = hasher();
  for (let first = 0; first < positions.length;) {
    const { from, length: least } = place.rangeAt(positions[first]!);
    let next = first + 1;
    let end = from + least;
    for (; positions[next] === positions[next - 1]! + 1 && end - from < RUN_BYTES; next++)
      end += place.rangeAt(positions[next]!).length;
    if (end - from > RUN_BYTES + DEFINITION_LIMIT) return undefined;
    const bytes = file.read(from, end - from);
    for (; first < next; first++) {
      const { from: start, length } = place.rangeAt(positions[first]!);
      const text = bytes.toString('utf8', start - from, start - from + length);
      const hash = toHash(text);
      if (length > DEFINITION_LIMIT || hash !== place.list.hashAt(positions[first]!)) return undefined;
      found.push({ text, hash });
    }
  }
  return found;
}

/** The own item at this position; undefined where the list has none. */
function readOwn(file: CacheFile, place: Placed, position: number): string | undefined {
  if (place.own.bytes <= 0) return undefined;
  const { from, length } = place.ownRangeAt(position, file);
  // A forged length leads past the end of the file, or to a text that is not a valid item.
  return length >= 0 && length <= DEFINITION_LIMIT ? file.read(from, length).toString() : undefined;
}

function toContents(id: string, indexLength: number, { stored, bytes, own }: ReadIndex): Contents {
  const places = new Map<ListKind, Placed>();
  let size = PREFIX_LENGTH + indexLength;
  let ownStart = [...bytes.values()].reduce((end, length) => end + length, size);
  for (const kind of LIST_KINDS) {
    const list = stored.lists.get(kind)?.list;
    if (!list) continue;
    const place = own.get(kind) ?? NO_OWN;
    places.set(kind, new Placed(list, size, { ...place, start: ownStart }));
    size += bytes.get(kind)!;
    ownStart += place.bytes;
  }
  return { id, stored, places, size: ownStart };
}

function bytesOf({ columns }: CachedList): number {
  return columns.lengths().reduce((sum, length) => sum + length, 0);
}

const MAGIC = 'plugboard-catalog 3 ';
const ID_LENGTH = 18;
const NUMBER_LENGTH = 10;
const PREFIX_LENGTH = MAGIC.length + ID_LENGTH + 2 * (NUMBER_LENGTH + 1) + 1;
const SCRATCH_BYTES = 8_192;
const RUN_BYTES = 200_000; // read at once
const PIECE_LENGTH = 200_000;
const INDEX_LIMIT = 16_000_000; // 10,000 items in each list, with ordinary names, take 4 MB
const FILE_LIMIT = 192_000_000; // larger catalogs stay in memory
const FOUND_AT_ONCE = 64;
const SWEPT_AT_ONCE = 100;
const LIFETIME = 30 * 86_400_000;
const LEFTOVER_MS = 3_600_000; // temporary file of a program that was killed while writing
const NONE: ReadonlySet<ListKind> = new Set();
