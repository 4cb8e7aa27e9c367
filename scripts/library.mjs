// What loads the library: library.js beside this file, with the compiled form of it that the build kept. V8 needs 27 ms to
// compile what Host.open runs, more than node takes to start; a cache that another version of V8 made, or one that was
// started with other flags, is refused by V8 itself. Whoever bundles the library gets plain modules instead (`module` in
// the exports of package.json). Asking for node:fs by import would load all streams, 3 ms.
const { readFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { Script } = process.getBuiltinModule('node:vm');

// A function of `require` and `module`, in ASCII.
// Under a name that is the same everywhere: the compiled form has it in it.
const bytes = readFileSync(`${import.meta.dirname}/library.js`);
export const script = new Script(bytes.latin1Slice(), { filename: 'plugboard/library.js', cachedData: readCache() });
const module = { exports: {} };
script.runInThisContext()(createRequire(import.meta.url), module);
export const library = module.exports;

/** V8 does not look whether it is whole, nor which text it was made of: code-cache-seal.cjs says how that is known here. */
function readCache() {
  try {
    const kept = readFileSync(`${import.meta.dirname}/library.cache`);
    const data = kept.subarray(8);
    const { crc32 } = process.getBuiltinModule('node:zlib');
    const ofSource = crc32(bytes);
    const isWhole = kept.readUInt32LE(0) === ofSource && kept.readUInt32LE(4) === crc32(data, ofSource);
    return isWhole ? data : undefined;
  } catch {
    return undefined; // built without one: slower to load, nothing else
  }
}
