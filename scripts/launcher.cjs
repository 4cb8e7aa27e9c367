#!/usr/bin/env node
// The program is program.js beside this file. V8 takes 6 ms to read it and 1 ms with the compiled form that the build
// kept; a cache that another version of V8 made is refused by V8 itself and costs nothing but the 6 ms. There are three of
// them, because what starts servers is most of the program, and `--help` would pay for it.
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
const source = readFileSync(path.join(__dirname, 'program.js'), 'latin1');
const program = new Script(source, { filename: 'plugboard/program.js', cachedData: readCache() });
program.runInThisContext()(require);
module.exports = program;

/** Nothing holds on to it: a session would keep its megabytes to the end. */
function readCache() {
  try {
    return readFileSync(path.join(__dirname, cache));
  } catch {
    return undefined; // built without one: slower to start, nothing else
  }
}
