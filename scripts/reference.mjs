// Writes what docs/, schema/ and the library's type of an entry take from the source: the fields of the configuration
// and the commands. The source is TypeScript, so it is bundled first. test/docs/reference.test.ts fails while a file is out of date.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
// In the project, so that packages are found.
const folder = mkdtempSync(join(root, '.dist-reference-'));
try {
  const outfile = join(folder, 'outputs.mjs');
  await build({
    entryPoints: [join(root, 'scripts/reference/outputs.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    splitting: true,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  const { referenceFiles } = await import(pathToFileURL(outfile).href);
  for (const { file, toText } of referenceFiles) {
    const path = join(root, file);
    const now = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const text = toText(now);
    if (text === now) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    process.stdout.write(`${file}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
