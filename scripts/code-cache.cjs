// Saves V8's compiled code in the user's cache folder. The launcher loads this file when the program has done its work
// and some code is not saved yet. A failure only makes the next start slower; of several processes the last one wins.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const FILES_LIMIT = 4; // for other versions of node and of Plugboard, which may be in use side by side
const TEMPORARY = /\.tmp$/;
const LEFT_MS = 3_600_000; // a temporary file that is older was left by a process that has ended

exports.keepCompiled = function keepCompiled({ folder, file, words, ...tools }) {
  if (!makeFolder(folder, tools)) return;
  const target = path.join(folder, file);
  const temporary = `${target}.${process.pid}.tmp`;
  // Opened first: where nothing can be written, nothing needs to be compiled.
  const descriptor = fs.openSync(temporary, 'wx', 0o600);
  try {
    try {
      fs.writeFileSync(
        descriptor,
        toBytes({ words, compiled: compile(tools), tag: tools.underFirstFlags(tools.tagNow) }),
      );
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  removeOthers(folder, file);
};

/** False when the folder belongs to another user, or others may write to it. */
function makeFolder(folder, { isOwn, isInWorkTree }) {
  if (isInWorkTree(folder)) return false;
  const missing = [];
  let existing = folder;
  for (; !fs.existsSync(existing); existing = path.dirname(existing)) missing.unshift(existing);
  // A user could not remove what root creates in the user's home.
  if (process.geteuid !== undefined && fs.statSync(existing).uid !== process.geteuid()) return false;
  // One by one: where none can be made, as in /proc, node 20 loops for ever if it is to make all of them (`recursive`).
  for (const one of missing) makeOne(one);
  const stats = fs.lstatSync(folder);
  return stats.isDirectory() && isOwn(stats);
}

function makeOne(folder) {
  try {
    fs.mkdirSync(folder, 0o700);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error; // another process was faster
  }
}

/** The compiled code of this run that is not saved yet, and all other code that is. */
function compile({ scripts, checksum, underFirstFlags, withCache, readSource }) {
  const sources = new Map();
  for (const [piece, { file }] of scripts) {
    const { stamp, bytes } = readSource(file);
    sources.set(piece, { stamp, source: checksum(bytes) });
  }
  const compiled = new Map();
  withCache(({ pieces }, read) => {
    for (const [piece, { source, stamp }] of Object.entries(pieces)) {
      const own = sources.get(piece);
      if (own && (!scripts.get(piece).isKept || own.source !== source)) continue;
      const data = read(piece);
      if (data !== undefined) compiled.set(piece, { data, source, stamp: own?.stamp ?? stamp });
    }
  });
  for (const [piece, one] of scripts) {
    const { stamp, source } = sources.get(piece);
    // A file that was written to since is not what was compiled.
    if (compiled.has(piece) || stamp !== one.stamp) continue;
    compiled.set(piece, { data: underFirstFlags(() => one.script.createCachedData()), source, stamp });
    one.isKept = true;
  }
  return compiled;
}

/**
 * The format: a head with the index's length, the index, then each piece at its offset from the end of the index; and
 * all of that once more, so that damage shows.
 */
function toBytes({ words, compiled, tag }) {
  const pieces = {};
  let at = 0;
  for (const [piece, { data, source, stamp }] of compiled) {
    pieces[piece] = { at, size: data.length, source, stamp };
    at += data.length;
  }
  const index = Buffer.from(JSON.stringify({ words, tag, pieces }));
  const head = Buffer.alloc(8);
  head.write('code', 'latin1');
  head.writeUInt32LE(index.length, 4);
  const once = [head, index, ...[...compiled.values()].map(({ data }) => data)];
  return Buffer.concat([...once, ...once]);
}

/** Keeps only the latest few files of other versions, and removes temporary files of killed processes. */
function removeOthers(folder, file) {
  const others = fs.readdirSync(folder).filter((name) => name !== file);
  const known = others.map((name) => ({ name, at: fs.statSync(path.join(folder, name)).mtimeMs }));
  const kept = known.filter(({ name }) => !TEMPORARY.test(name)).toSorted((a, b) => b.at - a.at);
  const left = known.filter(({ name, at }) => TEMPORARY.test(name) && at < Date.now() - LEFT_MS);
  for (const { name } of [...kept.slice(FILES_LIMIT - 1), ...left]) fs.rmSync(path.join(folder, name), { force: true });
}
