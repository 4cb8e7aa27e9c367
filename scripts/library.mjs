// What the doors of the library load: the same code as the program's (see dist/plugboard.js). Bundlers get plain
// modules instead (`module` in the exports of package.json). To import node:module would load more of node, 3 ms.
const { createRequire } = process.getBuiltinModule('node:module');

export const { open } = createRequire(import.meta.url)('../plugboard.js');
