// Makes `npm start` and `npm test` work as the first command on a fresh clone: installs what is missing, builds what
// is older than its source, and does nothing on the second run. Plain node: nothing is installed when it starts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
const goal = process.argv[2];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  stop(
    `Plugboard needs Node 20.19 or newer; this is ${process.version}. Install a newer Node and run the command again.`,
  );
}
if (isStale(at('node_modules/.package-lock.json'), [at('package-lock.json')])) {
  run('Installing dependencies (once)', 'npm', [
    'ci',
    '--engine-strict',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]);
}
if (goal === 'build' && isStale(at('dist/plugboard.js'), sources())) {
  run('Building', process.execPath, [at('scripts/build.mjs')]);
}

function sources() {
  const files = readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => at('src', file));
  return [
    ...files,
    ...[
      'build.mjs',
      'code-cache.cjs',
      'code-modules.mjs',
      'code-parts.mjs',
      'declarations.mjs',
      'launcher.cjs',
      'library.mjs',
      'notices.mjs',
      'part-text.mjs',
      'part-usage.cjs',
    ].map((name) => at('scripts', name)),
    at('package-lock.json'),
    at('tsconfig.json'),
    at('tsconfig.build.json'),
  ];
}

function isStale(product, inputs) {
  if (!existsSync(product)) return true;
  const made = statSync(product).mtimeMs;
  return inputs.some((input) => statSync(input).mtimeMs > made);
}

function run(what, command, args) {
  process.stderr.write(`${what} ...\n`);
  // What npm and the build print goes to stderr, so that stdout has only what the command itself answers.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error || status !== 0)
    stop(`${what} failed${error ? `: ${error.message}` : ''}. Mend the cause above and run the command again.`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
