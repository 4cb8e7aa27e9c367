import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { BUNDLES } from '../shared-bundles.js';

const source = resolve(import.meta.dirname, '../../src');

/** A bundled script that Node can run. Disposing of it removes its folder, unless the run shares the bundle. */
export interface Bundle extends Disposable {
  readonly script: string;
}

/** Bundles some lines of TypeScript that may import from src as `./room/file.js`; equal lines only once in a run. */
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

/** Reuses a bundle of the same source in this run. When two workers build it at the same time, one result remains. */
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
  // `sharp` and `@napi-rs/keyring` are native modules, loaded only when needed; the AI SDK is not needed here.
  external: ['sharp', '@napi-rs/keyring', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
  // CommonJS dependencies load Node's modules with `require`.
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  // package.json declares that modules have no side effects, which is not true of a program.
  ignoreAnnotations: true,
  logLevel: 'error',
};

/** A program that serves the stdio mode named by its argument. */
export function bundleStdioServer(): Promise<Bundle> {
  return bundle(`
    import { findMode } from './testing/modes.js';
    import { serveStdio } from './testing/serve-stdio.js';
    await serveStdio(findMode(process.argv[2]), process);
  `);
}
