#!/usr/bin/env node
// The program, and what loads the library (dist/lib/library.mjs requires this file). The code lies in dist/code, in pieces that are
// read when needed (scripts/code-parts.mjs). V8 compiles what is run of them; the program keeps the compiled form in the user's
// cache folder when its work is done (code-cache.cjs), and both read it from there. The library writes nothing.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const { Script } = require('node:vm');

const BUILD = '%BUILD%'; // a checksum of all pieces
const DOORS = JSON.parse('%DOORS%'); // the piece and the part that each of the doors is
const HEAD_BYTES = 8;
const INDEX_LIMIT = 65_536; // bytes; 30 pieces take 3 KB
const SIZE_LIMIT = 32 * 1024 * 1024; // all that there is takes 3 MB
const WORDS_LIMIT = 40; // more than there are commands
/** What the program switches off when it has started: src/cli/http-parser.ts. */
const FLAGS = ['wasm-dynamic-tiering', 'wasm-tier-up'];
const SESSION_MS = 2000; // a session has drawn its prompt and started its servers by then

const isProgram = require.main === module;
const tag = v8.cachedDataVersionTag();
const parts = new Map();
const pieces = new Map();
/** Of the program: what it may keep the compiled form of. */
const scripts = new Map();
const cache = { folder: toFolder(process.env, process.platform), file: toFile(), words: [], isLacking: false };
let embedded;

module.exports = {
  /** What stands behind one of the doors. `servers` are those that run in this process, for the program. */
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
  process.once('exit', (code) => {
    // Who has mistyped something or wants to be gone does not wait for it.
    if (code !== 2 && code < 124) keep(word);
  });
  // V8 forgets what a long session ran when it started.
  if (word === 'session') setTimeout(keep, SESSION_MS, word).unref();
  module.exports.open('program');
}

/** V8 has compiled something that is not kept, or something else of it than is kept: other commands run other functions. */
function keep(word) {
  const isNew = !cache.words.includes(word) && cache.words.length < WORDS_LIMIT;
  if (cache.folder === undefined || !(isNew || cache.isLacking)) return;
  // What is kept already stays as it is where this command has been run before: of a long session V8 has forgotten half of it.
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
    });
  } catch {
    // a disk that is full or may not be written to: the next run takes as long as this one
  }
  Object.assign(cache, { words, isUsable: undefined }); // the folder is there now
}

/** What a run has in common with others that run the same functions. */
function toWord([first = '-', ...rest]) {
  if (/^(?:-h|-v|--help|--version)$/.test(first)) return 'help';
  if (first.startsWith('-')) return [first, ...rest].some((one) => /^(?:-p|--print)/.test(one)) ? 'prompt' : 'session';
  return (rest.includes('--no-connect') ? 'offline ' : '') + first.slice(0, 20);
}

/** The exports of one part. */
function part(piece, name) {
  let exported = parts.get(name);
  if (exported === undefined) {
    exported = readPiece(piece)[name](part, imported, require, embedded);
    parts.set(name, exported);
  }
  return exported;
}

/** What is no ES module, as import() would give it. */
function imported(name) {
  const found = require(name);
  return 'default' in found ? found : Object.create(found, { default: { value: found } });
}

function readPiece(piece) {
  const known = pieces.get(piece);
  if (known !== undefined) return known;
  const bytes = fs.readFileSync(path.join(__dirname, 'code', `${piece}.js`));
  const source = checksum(bytes);
  const cachedData = withCache((index, read) => (index.pieces[piece]?.source === source ? read(piece) : undefined));
  cache.isLacking ||= cachedData === undefined;
  // The compiled form has the name in it, and serves every copy of the package.
  const options = { filename: `plugboard/dist/code/${piece}.js`, cachedData };
  const script = underFirstFlags(() => new Script(bytes.latin1Slice(), options));
  if (isProgram) scripts.set(piece, { script, source, isKept: cachedData !== undefined });
  const found = script.runInThisContext();
  pieces.set(piece, found);
  return found;
}

/**
 * Reads what is kept: a checksum, the length of the index, the index, and the pieces that it names. Undefined if there is nothing that may be used. V8 does not look
 * whether a compiled form is whole, nor which text it was made of, and one wrong byte ends the process: what is read is held
 * against its checksum and that of the source. What somebody else could have written there is not read.
 */
function withCache(use) {
  let descriptor;
  try {
    if (!isUsable()) return undefined;
    // Windows has neither of the last two, and `|` makes 0 of what is not there.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    descriptor = fs.openSync(path.join(cache.folder, cache.file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || !isOwn(stats) || stats.size > SIZE_LIMIT) return undefined;
    const head = readAt(descriptor, 0, HEAD_BYTES);
    const length = Math.min(head.readUInt32LE(4), INDEX_LIMIT);
    const text = readAt(descriptor, HEAD_BYTES, length);
    if (checksum(text) !== head.readUInt32LE(0)) return undefined;
    const index = JSON.parse(text.utf8Slice());
    cache.words = index.words;
    return use(index, (piece) => {
      const { at, size, source, sum } = index.pieces[piece];
      const data = readAt(descriptor, HEAD_BYTES + length + at, Math.min(size, stats.size));
      return checksum(data, source) === sum ? data : undefined;
    });
  } catch {
    return undefined; // there is none, or none that can be read: slower to start, nothing else
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** V8 takes and makes compiled forms for the flags that it has at the time, and those of a program are others once it runs. */
function underFirstFlags(work) {
  if (!isProgram || v8.cachedDataVersionTag() === tag) return work();
  for (const flag of FLAGS) v8.setFlagsFromString(`--${flag}`);
  try {
    return work();
  } finally {
    for (const flag of FLAGS) v8.setFlagsFromString(`--no-${flag}`);
  }
}

/** Memory of its own: V8 copies data that is not aligned. */
function readAt(descriptor, at, size) {
  const bytes = Buffer.allocUnsafeSlow(size);
  if (fs.readSync(descriptor, bytes, 0, size, at) !== size) throw new Error('it ends too early');
  return bytes;
}

/** Looked at once: a folder that this user made for it, and nobody else may write to. */
function isUsable() {
  if (cache.isUsable === undefined && cache.folder !== undefined) {
    const stats = fs.lstatSync(cache.folder, { throwIfNoEntry: false });
    cache.isUsable = stats?.isDirectory() === true && isOwn(stats) && !isInWorkTree(cache.folder);
  }
  return cache.isUsable === true;
}

/** `sudo plugboard` with the home of somebody else leaves nothing there, and takes nothing from there. */
function isOwn({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o077) === 0);
}

/** A repository could bring compiled code. A home that is one itself is its owner's. */
function isInWorkTree(folder) {
  const home = homeOf(process.env, process.platform);
  for (let at = folder, above = path.dirname(at); above !== at; at = above, above = path.dirname(at)) {
    if (at === home) return false;
    if (fs.existsSync(path.join(at, '.git'))) return true;
  }
  return false;
}

/** As src/edge/directories.ts has it, which is not loaded yet. */
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

/** V8 takes only what the same version of it made, started with the same flags: that is what the tag stands for. */
function toFile() {
  return [process.version, process.arch, tag.toString(16), BUILD].join('-') + '.cache';
}

/** node:zlib is loaded in a third of the time of node:crypto, and this is for damage: who may write here has won already. */
function checksum(bytes, seed = 0) {
  return require('node:zlib').crc32(bytes, seed);
}
