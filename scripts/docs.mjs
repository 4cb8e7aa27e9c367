// Builds the documentation site into docs/.vitepress/dist, without network once its tools are installed. The tools have
// a package.json of their own in docs/, because nobody else needs their 150 MB, and TypeDoc needs its own TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const docs = join(root, 'docs');

/** The public doors: what package.json exports, each with the source that its declarations are made from. */
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const doors = Object.values(exports).flatMap((door) =>
  door.types === undefined ? [] : [door.types.replace('./dist/lib/', 'src/').replace(/\.d\.ts$/u, '.ts')],
);

const installed = join(docs, 'node_modules/.package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(join(docs, 'package-lock.json')).mtimeMs) {
  run('Installing the documentation tools (once)', 'npm', [
    'ci',
    '--engine-strict',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]);
}
run('Writing the reference', process.execPath, [join(root, 'scripts/reference.mjs')]);
rmSync(join(docs, 'api'), { recursive: true, force: true });
const entryPoints = doors.flatMap((door) => ['--entryPoints', join(root, door)]);
run('Reading the API', join(docs, 'node_modules/.bin/typedoc'), entryPoints);
run('Building the site', join(docs, 'node_modules/.bin/vitepress'), ['build', '.']);
process.stdout.write(`${join(docs, '.vitepress/dist')}\n`);

function run(what, command, args) {
  process.stderr.write(`${what} ...\n`);
  const { status, error } = spawnSync(command, args, { cwd: docs, stdio: ['ignore', 2, 2] });
  if (!error && status === 0) return;
  process.stderr.write(
    `${what} failed${error ? `: ${error.message}` : ''}. Mend the cause above and run the command again.\n`,
  );
  process.exit(1);
}
