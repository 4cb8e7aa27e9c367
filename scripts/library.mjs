// What loads the library: library.js beside this file, with the compiled form of it that the build kept. V8 needs 27 ms to
// compile what Host.open runs, more than node takes to start; a cache that another version of V8 made, or one that was
// started with other flags, is refused by V8 itself. Whoever bundles the library gets plain modules instead (`module` in
// the exports of package.json). Asking for node:fs by import would load all streams, 3 ms.
const { readFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { Script } = process.getBuiltinModule('node:vm');

const filename = `${import.meta.dirname}/library.js`;
let cachedData;
try {
  cachedData = readFileSync(`${import.meta.dirname}/library.cache`);
} catch {
  // Built without one: slower to load, nothing else.
}
// A function of `require` and `module`, in ASCII.
export const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
const module = { exports: {} };
script.runInThisContext()(createRequire(import.meta.url), module);
export const library = module.exports;
