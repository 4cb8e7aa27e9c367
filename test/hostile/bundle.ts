import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { BUNDLES } from '../shared-bundles.js';

const source = resolve(import.meta.dirname, '../../src');

/** A script of ours that node can run, made from TypeScript. Removed with the folder it lies in, or with the folder of the run. */
export interface Bundle extends Disposable {
  readonly script: string;
}

/** Bundles a few lines that may import from src as `./room/file.js`; once in a run. */
export async function bundle(contents: string, resolveDir: string = source): Promise<Bundle> {
  const shared = process.env[BUNDLES];
  if (shared !== undefined) return shareBundle(shared, { contents, resolveDir });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bundle-')));
  await build({ ...options, stdin: { contents, resolveDir, loader: 'ts' }, outfile: join(folder, SCRIPT) });
  return { script: join(folder, SCRIPT), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Source {
  readonly contents: string;
  readonly resolveDir: string;
}

/** What two workers bundle at the same moment is kept of one of them. */
async function shareBundle(shared: string, { contents, resolveDir }: Source): Promise<Bundle> {
  const name = createHash('sha256').update(`${resolveDir}\0${contents}`).digest('hex').slice(0, 16);
  const script = join(shared, name, SCRIPT);
  if (!existsSync(script)) {
    const own = mkdtempSync(join(shared, `${name}-`));
    await build({ ...options, stdin: { contents, resolveDir, loader: 'ts' }, outfile: join(own, SCRIPT) });
    mkdirSync(join(shared, name), { recursive: true });
    renameSync(join(own, SCRIPT), script);
    rmSync(own, { recursive: true });
  }
  return { script, [Symbol.dispose]() {} };
}

const SCRIPT = 'script.mjs';
const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Loaded only for a picture that is too large, or for a keychain, and not made to be bundled; and what talks to models.
  external: ['sharp', '@napi-rs/keyring', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
  // Dependencies that are CommonJS ask for node's modules in their own way.
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  // package.json says that importing a file does nothing, and for a program that is not so.
  ignoreAnnotations: true,
  logLevel: 'error',
};

/** A program that is the stdio mode named by its argument. */
export function bundleStdioServer(): Promise<Bundle> {
  return bundle(`
    import { findMode } from './testing/modes.js';
    import { serveStdio } from './testing/serve-stdio.js';
    await serveStdio(findMode(process.argv[2]), process);
  `);
}
