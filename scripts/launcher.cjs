#!/usr/bin/env node
// The program, and the loader of the library (dist/lib/library.mjs requires this file). The code is in dist/code, in
// pieces that are read on first use (scripts/code-parts.mjs). V8 compiles the functions that run; at its end the
// program saves their compiled code in the user's cache folder (code-cache.cjs), where both read it. The library writes
// nothing.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

const BUILD = '%BUILD%'; // a checksum of all pieces
const DOORS = JSON.parse('%DOORS%'); // the piece, the part and the module of each public door
const HEAD_BYTES = 8;
const COMPARED_BYTES = 65_536; // at once
const INDEX_LIMIT = 65_536; // bytes; 30 pieces take 3 KB
const SIZE_LIMIT = 32 * 1024 * 1024; // bytes; all pieces take 3 MB
const WORDS_LIMIT = 40; // more than there are commands
/** Flags that the program switches off once it has started: src/cli/http-parser.ts. */
const FLAGS = ['wasm-dynamic-tiering', 'wasm-tier-up'];
const SESSION_MS = 2000; // a session has drawn its prompt and started its servers by then

const isProgram = require.main === module;
/** No flags of V8 were given: then node:v8, which takes a millisecond to load, need not say which. */
const isPlain = process.execArgv.length === 0 && !process.env.NODE_OPTIONS;
const firstTag = isPlain ? undefined : tagNow();
const parts = new Map();
const pieces = new Map();
/** The scripts whose compiled code the program may save; empty for the library. */
const scripts = new Map();
const cache = { folder: toFolder(process.env, process.platform), file: toFile(firstTag), words: [], isLacking: false };
/** With flags that make no difference to V8, what was saved without them will do. */
const files = isPlain ? [cache.file] : [cache.file, toFile()];
let scratch;
let embedded;

module.exports = {
  /** The exports of one public door. `servers`: for the program, the servers that run in this process. */
  open(door, servers) {
    embedded = servers;
    return part(...DOORS[door]);
  },
  parts,
  toFolder,
};
if (isProgram) run();

function run() {
  const word = toWord(process.argv.slice(2));
  const isDemo = process.argv.includes('demo');
  process.once('exit', (code) => {
    // Not after a usage error (2) or an interruption: the user should not wait for it. The demo leaves nothing behind.
    if (code !== 2 && code < 124 && !isDemo) keep(word);
  });
  // Nothing is left to do: without this Node takes V8's heap apart, up to 3 ms.
  process.once('beforeExit', () => process.exit());
  // V8 discards code that a long session ran only at its start, so it is saved early.
  if (word === 'session' && !isDemo) setTimeout(keep, SESSION_MS, word).unref();
  module.exports.open('program');
}

/** Saves compiled code if some is not saved, or if this command is new: other commands run other functions. */
function keep(word) {
  const isNew = !cache.words.includes(word) && cache.words.length < WORDS_LIMIT;
  if (cache.folder === undefined || !(isNew || cache.isLacking)) return;
  // For a command that ran before, saved code stays: in a long session V8 has discarded half of it.
  if (isNew) for (const one of scripts.values()) one.isKept = false;
  const words = [...new Set([...cache.words, word])];
  Object.assign(cache, { isLacking: false, isUsable: undefined });
  try {
    require('./code-cache.cjs').keepCompiled({
      ...cache,
      words,
      scripts,
      underFirstFlags,
      checksum,
      isOwn,
      isInWorkTree,
      withCache,
      readSource,
      tagNow,
    });
  } catch {
    // the disk is full or read-only: the next start is as slow as this one
  }
  Object.assign(cache, { words, isUsable: undefined }); // the folder may exist now
}

/** A name for all runs that use the same functions. */
function toWord([first = '-', ...rest]) {
  if (/^(?:-h|-v|--help|--version)$/.test(first)) return 'help';
  if (first.startsWith('-')) return [first, ...rest].some((one) => /^(?:-p|--print)/.test(one)) ? 'prompt' : 'session';
  return (rest.includes('--no-connect') ? 'offline ' : '') + first.slice(0, 20);
}

/** The exports of one module; a part has one or more of them. */
function part(piece, name, module) {
  let exported = parts.get(name);
  if (exported === undefined) {
    parts.set(name, null);
    try {
      exported = readPiece(piece)[name](part, imported, require, embedded, importPackaged);
      parts.set(name, exported);
    } catch (error) {
      parts.delete(name);
      throw error;
    }
  }
  if (exported === null) throw new Error(`the part "${name}" is needed while it is loaded`);
  return exported[module];
}

/** A CommonJS module as import() would return it, with a `default`. */
function imported(name) {
  const found = require(name);
  return 'default' in found ? found : Object.create(found, { default: { value: found } });
}

/** A module of the package that stays a file of its own, such as the demo's servers. */
function importPackaged(file) {
  return import(require('node:url').pathToFileURL(path.join(__dirname, '..', file)).href);
}

function readPiece(piece) {
  const known = pieces.get(piece);
  if (known !== undefined) return known;
  const file = path.join(__dirname, 'code', `${piece}.js`);
  const source = readSource(file);
  const cachedData = withCache((index, read) => (isSameSource(index.pieces[piece], source) ? read(piece) : undefined));
  cache.isLacking ||= cachedData === undefined;
  // The compiled code contains the file name, so a fixed one makes it valid for every copy of the package.
  const options = { filename: `plugboard/dist/code/${piece}.js`, cachedData };
  const script = underFirstFlags(() => new Script(source.bytes.latin1Slice(), options));
  if (isProgram) scripts.set(piece, { script, file, stamp: source.stamp, isKept: cachedData !== undefined });
  const found = script.runInThisContext();
  pieces.set(piece, found);
  return found;
}

/** The stamp is another one as soon as anybody writes to the file. */
function readSource(file) {
  const descriptor = fs.openSync(file, 'r');
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = fs.fstatSync(descriptor);
    const stamp = [dev, ino, size, mtimeMs, ctimeMs].join(':');
    return { stamp, bytes: readAt(descriptor, 0, size) };
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Is this the text that was compiled? In another copy of the package its checksum says so, which takes longer. */
function isSameSource(entry, { stamp, bytes }) {
  return entry !== undefined && (entry.stamp === stamp || entry.source === checksum(bytes));
}

/**
 * Reads the saved code (its format: `toBytes` in code-cache.cjs); undefined if there is none that may be used. V8
 * checks neither whether compiled code is intact nor which source it belongs to, and one wrong byte ends the process:
 * so the file has everything twice, and only what is the same both times is used. To compare takes a third of the time
 * of a checksum, and node:zlib is not loaded. A file that another user could have written is not read.
 */
function withCache(use) {
  for (const file of files) {
    let descriptor;
    try {
      if (!isUsable()) return undefined;
      // Windows has neither O_NOFOLLOW nor O_NONBLOCK, and `|` makes 0 of undefined.
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
      descriptor = fs.openSync(path.join(cache.folder, file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stats = fs.fstatSync(descriptor);
      const index = stats.isFile() && isOwn(stats) && stats.size <= SIZE_LIMIT && readIndex(descriptor, stats);
      if (!index || (firstTag !== undefined && index.tag !== firstTag)) continue;
      Object.assign(cache, { file, words: index.words });
      const half = stats.size / 2;
      return use(index, (piece) => {
        const { at, size } = index.pieces[piece];
        return readTwice(descriptor, index.length + at, { size: Math.min(size, half), half });
      });
    } catch {
      // no file, or none that can be read: the start is slower, nothing else
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor);
    }
  }
  return undefined;
}

/** Read again only when the file is another one. */
function readIndex(descriptor, { ino, size, mtimeMs }) {
  const stamp = [ino, size, mtimeMs].join(':');
  if (cache.index?.stamp === stamp) return cache.index;
  const half = size / 2;
  const head = readTwice(descriptor, 0, { size: HEAD_BYTES, half });
  const length = Math.min(head?.readUInt32LE(4) ?? 0, INDEX_LIMIT);
  const text = head && readTwice(descriptor, HEAD_BYTES, { size: length, half });
  cache.index = text && { ...JSON.parse(text.utf8Slice()), length: HEAD_BYTES + length, stamp };
  return cache.index;
}

/** Undefined if the two copies differ. */
function readTwice(descriptor, at, { size, half }) {
  const bytes = readAt(descriptor, at, size);
  scratch ??= Buffer.allocUnsafeSlow(COMPARED_BYTES);
  for (let from = 0; from < size; from += COMPARED_BYTES) {
    const length = Math.min(COMPARED_BYTES, size - from);
    if (fs.readSync(descriptor, scratch, 0, length, half + at + from) !== length) return undefined;
    if (bytes.compare(scratch, 0, length, from, from + length) !== 0) return undefined;
  }
  return bytes;
}

/**
 * Compiled code is valid only for the V8 flags it was made with, and the program changes its flags once it runs: by
 * node:v8, so while nobody has loaded that, they are the first ones.
 */
function underFirstFlags(work) {
  if (!isProgram || process.moduleLoadList?.includes('NativeModule v8') !== true) return work();
  const tag = tagNow();
  if (tag === firstTag) return work();
  const { setFlagsFromString } = require('node:v8');
  for (const flag of FLAGS) setFlagsFromString(`--${flag}`);
  const isChanged = tagNow() !== tag;
  try {
    return work();
  } finally {
    if (isChanged) for (const flag of FLAGS) setFlagsFromString(`--no-${flag}`);
  }
}

function tagNow() {
  return require('node:v8').cachedDataVersionTag();
}

/** Allocated unpooled, so aligned: V8 copies data that is not aligned. */
function readAt(descriptor, at, size) {
  const bytes = Buffer.allocUnsafeSlow(size);
  if (fs.readSync(descriptor, bytes, 0, size, at) !== size) throw new Error('it ends too early');
  return bytes;
}

/** Checked once: the folder must belong to this user, and no other user may have access. */
function isUsable() {
  if (cache.isUsable === undefined && cache.folder !== undefined) {
    const stats = fs.lstatSync(cache.folder, { throwIfNoEntry: false });
    cache.isUsable = stats?.isDirectory() === true && isOwn(stats) && !isInWorkTree(cache.folder);
  }
  return cache.isUsable === true;
}

/** So `sudo plugboard` with another user's home neither writes nor reads anything there. */
function isOwn({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o077) === 0);
}

/** A repository could bring compiled code. The home folder itself may be a repository: it is its owner's. */
function isInWorkTree(folder) {
  const home = homeOf(process.env, process.platform);
  for (let at = folder, above = path.dirname(at); above !== at; at = above, above = path.dirname(at)) {
    if (at === home) return false;
    if (fs.existsSync(path.join(at, '.git'))) return true;
  }
  return false;
}

/** The same folder as in src/edge/directories.ts, which is not loaded yet. */
function toFolder(env, platform) {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const join = (...names) => paths.join(...names);
  const absolute = (folder) => (folder && paths.isAbsolute(folder) ? folder : undefined);
  const base = absolute(env.XDG_CACHE_HOME);
  if (base) return join(base, 'plugboard', 'code');
  const home = homeOf(env, platform);
  if (platform === 'win32') {
    const local = absolute(env.LOCALAPPDATA) ?? (home && join(home, 'AppData', 'Local'));
    return local && join(local, 'plugboard', 'cache', 'code');
  }
  return home && join(home, ...(platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']), 'plugboard', 'code');
}

function homeOf(env, platform) {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const said = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  if (said && paths.isAbsolute(said)) return said;
  try {
    return require('node:os').userInfo().homedir;
  } catch {
    return undefined; // a uid without a name has no home
  }
}

/** V8 accepts only compiled code of the same version and flags. The tag stands for flags that were given. */
function toFile(tag) {
  return [process.version, process.arch, tag?.toString(16) ?? 'plain', BUILD].join('-') + '.cache';
}

/** Only against damage: who can write here has won already. */
function checksum(bytes) {
  return require('node:zlib').crc32(bytes);
}
