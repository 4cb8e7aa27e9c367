#!/usr/bin/env node
// The program is program.js beside this file. V8 takes 6 ms to read it and 1 ms with the compiled form that the build
// kept in program.cache; a cache that another version of V8 made is refused by V8 itself and costs nothing but the 6 ms.
'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

const filename = path.join(__dirname, 'program.js');
let cachedData;
try {
  cachedData = readFileSync(path.join(__dirname, 'program.cache'));
} catch {
  // Built without one: slower to start, nothing else.
}
const source = `(function (require) {${readFileSync(filename, 'utf8')}\n})`;
const program = new Script(source, { filename, cachedData });
program.runInThisContext()(require);
module.exports = program;
