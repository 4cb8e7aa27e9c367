import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ServerName } from './behaviour.js';

/** Bundles a server of the suite into one file, which node starts quickly. */
export async function bundleServer(server: ServerName, folder: string): Promise<string> {
  const outfile = join(folder, `${server}.mjs`);
  await build({
    entryPoints: [fileURLToPath(programs[server])],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Some dependencies of the SDK are CommonJS.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

const programs = {
  fixture: new URL('./servers/fixture-stdio.ts', import.meta.url),
  sdk: new URL('./servers/sdk-stdio.ts', import.meta.url),
  'old-sdk': new URL('./servers/old-sdk-stdio.ts', import.meta.url),
};
