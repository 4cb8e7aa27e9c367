#!/usr/bin/env node
// The program is program.js beside this file. V8 takes 6 ms to read it and 1 ms with the compiled form that the build
// kept; a cache that another version of V8 made is refused by V8 itself and costs nothing but the 6 ms. There are three of
// them, because what starts servers is most of the program, and `--help` would pay for it. V8 does not look whether a cache is
// whole, nor which text it was made of: code-cache-seal.cjs says how that is known here.
'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

const [, , word = '-'] = process.argv;
let cache = 'program.cache';
// Without a command it is a session.
if (word.startsWith('-') && !/^(?:-h|-v|--help|--version)$/.test(word)) cache = 'session.cache';
else if (/^(?:list|ls|get|tools|call|doctor|reconnect)$/.test(word) && !process.argv.includes('--no-connect'))
  cache = 'live.cache';
// A function of `require`, in ASCII.
// Under a name that is the same everywhere: the compiled form has it in it.
const bytes = readFileSync(path.join(__dirname, 'program.js'));
const program = new Script(bytes.latin1Slice(), { filename: 'plugboard/program.js', cachedData: readCache() });
program.runInThisContext()(require);
module.exports = program;

/** Nothing holds on to it: a session would keep its megabytes to the end. */
function readCache() {
  try {
    const kept = readFileSync(path.join(__dirname, cache));
    const data = kept.subarray(8);
    const { crc32 } = require('node:zlib');
    const ofSource = crc32(bytes);
    const isWhole = kept.readUInt32LE(0) === ofSource && kept.readUInt32LE(4) === crc32(data, ofSource);
    return isWhole ? data : undefined;
  } catch {
    return undefined; // built without one: slower to start, nothing else
  }
}
