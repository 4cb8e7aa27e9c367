// The one gate: types, lint, format, rooms, unused code, package hygiene. Every check runs, then the verdict.
import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const checks = [
  ['types', 'tsc', '-p', 'tsconfig.json'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'oxfmt', '--check', '.'],
  ['rooms', 'vitest', 'run', 'test/rooms.test.ts'],
  ['unused code', 'knip'],
  ['package', 'publint', '--strict'],
  ['package types', 'attw', '--pack', '.', '--profile', 'esm-only'],
];

let failed = 0;
for (const [what, command, ...args] of checks) {
  const { code, output, ms } = await run(command, args);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${what} (${ms} ms)\n`);
  if (code !== 0) {
    failed++;
    process.stdout.write(`${output.trimEnd()}\n`);
  }
}
process.stdout.write(`check: ${checks.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

function run(command, args) {
  const started = performance.now();
  const env = { ...process.env, PATH: `${resolve(root, 'node_modules/.bin')}:${process.env.PATH}` };
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((done) => {
    const end = (code) => done({ code, output, ms: Math.round(performance.now() - started) });
    child.on('error', (error) => ((output += error.message), end(1)));
    child.on('close', end);
  });
}
