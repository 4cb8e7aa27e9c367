// What the doors of the library load: the same code as the program's (dist/plugboard.js says how). Whoever bundles the library gets plain
// modules instead (`module` in the exports of package.json). Asking for node:module by import would load more of node, 3 ms.
const { createRequire } = process.getBuiltinModule('node:module');

export const { open } = createRequire(import.meta.url)('../plugboard.js');
