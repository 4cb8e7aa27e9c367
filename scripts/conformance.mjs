// `npm run conformance [-- --scenario NAME]... [--revision R] [--json FILE]`: the official conformance suite for
// clients against test/conformance/driver.ts. With --server, the suite for servers, through the gateway of the build.
// Driver and runner are TypeScript, bundled into a temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../test/conformance');
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-conformance-')));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

// The first signal ends the run in an orderly way, the second exits at once.
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    if (abort.signal.aborted) process.exit();
    abort.abort();
  });
}
// The reader of stdout is gone, so there is no reason to go on.
process.stdout.on('error', () => {
  process.exitCode = 1;
  abort.abort();
});

try {
  if (process.argv.includes('--server')) buildProgram();
  await build({
    absWorkingDir: folder,
    entryPoints: ['main.ts', 'driver.ts'],
    outdir: scratch,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Dependencies in CommonJS call `require` for node's modules.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    external: ['@napi-rs/keyring', 'sharp'],
    // package.json says that importing a file has no side effects, which is not true of a program.
    ignoreAnnotations: true,
    logLevel: 'silent', // the error that it throws says it all
  });
  const { main } = await import(pathToFileURL(join(scratch, 'main.mjs')).href);
  const world = { folder, driver: join(scratch, 'driver.mjs'), scratch, signal: abort.signal };
  const code = await main(process.argv.slice(2), world);
  if (!abort.signal.aborted) process.exitCode = code;
} catch (error) {
  if (!abort.signal.aborted) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function buildProgram() {
  const ready = join(folder, '../../scripts/ready.mjs');
  const { status } = spawnSync(process.execPath, [ready, 'build'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('There is no build to test: mend the cause above and run the command again.');
}
