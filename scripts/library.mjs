// What loads the library: library.js beside this file, with the compiled form of it that the build kept. V8 needs 27 ms to
// compile what Host.open runs, more than node takes to start; a cache that another version of V8 made, or one that was
// started with other flags, is refused by V8 itself. Whoever bundles the library gets plain modules instead (`module` in
// the exports of package.json). Asking for node:fs by import would load all streams, 3 ms.
const { readFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { Script } = process.getBuiltinModule('node:vm');

let cachedData;
try {
  cachedData = readFileSync(`${import.meta.dirname}/library.cache`);
} catch {
  // Built without one: slower to load, nothing else.
}
// A function of `require` and `module`, in ASCII.
// Under a name that is the same everywhere: the compiled form has it in it.
const source = readFileSync(`${import.meta.dirname}/library.js`, 'latin1');
export const script = new Script(source, { filename: 'plugboard/library.js', cachedData });
const module = { exports: {} };
script.runInThisContext()(createRequire(import.meta.url), module);
export const library = module.exports;
