import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const source = resolve(import.meta.dirname, '../../src');

/** A script of ours that node can run, made from TypeScript. Removed with the folder it lies in. */
export interface Bundle extends Disposable {
  readonly script: string;
}

/** Bundles a few lines that may import from src as `./room/file.js`. */
export async function bundle(contents: string, resolveDir: string = source): Promise<Bundle> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bundle-')));
  const script = join(folder, 'script.mjs');
  await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: script,
    // Loaded only for a picture that is too large, or for a keychain, and not made to be bundled; and what talks to models.
    external: ['sharp', '@napi-rs/keyring'],
    // Dependencies that are CommonJS ask for node's modules in their own way.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    // package.json says that importing a file does nothing, and for a program that is not so.
    ignoreAnnotations: true,
    logLevel: 'error',
  });
  return { script, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A program that is the stdio mode named by its argument. */
export function bundleStdioServer(): Promise<Bundle> {
  return bundle(`
    import { findMode } from './testing/modes.js';
    import { serveStdio } from './testing/serve-stdio.js';
    await serveStdio(findMode(process.argv[2]), process);
  `);
}
