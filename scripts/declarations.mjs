// Of all declarations that the compiler writes, keeps those that users of the package can reach.
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const REFERENCE = /(?:\bfrom |\bimport\(|\bimport )['"]([^'"\n]+)['"]/g;

/** Removes the others. Throws where a declaration imports a package, because users do not have it installed. */
export function pruneDeclarations(lib, doors) {
  const reached = new Set();
  const waiting = doors.map((door) => join(lib, door));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const code = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [, specifier] of code.matchAll(REFERENCE)) {
      if (specifier.startsWith('.')) waiting.push(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
      else if (!specifier.startsWith('node:'))
        throw new Error(`${relative(lib, file)} names "${specifier}", which is bundled and not installed`);
    }
  }
  for (const entry of readdirSync(lib, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
  removeEmpty(lib);
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
