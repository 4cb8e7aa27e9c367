// `npm run pictures [-- NAME ...]`: makes the pictures in docs/pictures again. Each one is the built program in a real
// terminal (tmux), with an empty HOME, small servers of this machine and a scripted model, drawn by Chromium.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRemoteServers } from './pictures/local-servers.mjs';
import { allow, scenes, toEntries, turns } from './pictures/scenes.mjs';
import { findChromium, takeScreenshot } from './pictures/screenshot.mjs';
import { toTerminalPage } from './pictures/terminal-page.mjs';
import { parseTerminalText } from './pictures/terminal-text.mjs';
import { openTerminal } from './pictures/tmux-terminal.mjs';

const COLUMNS = 96;
const ROWS = 40;
const SIZE_LIMIT = 200_000; // a README that loads slowly is not read

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = process.argv.slice(2);
const strange = wanted.find((name) => !scenes.some((scene) => scene.name === name));
if (strange !== undefined) {
  stop(`There is no picture "${strange}". There are: ${scenes.map(({ name }) => name).join(', ')}`);
}
const chromium = findChromium();
if (spawnSync('tmux', ['-V']).status !== 0 || chromium === undefined) {
  stop('The pictures need tmux and Chromium. On Debian: apt install tmux chromium fonts-dejavu-core');
}

const temporary = realpathSync(tmpdir());
// Shown in the pictures, so it has the same short path in every run.
const home = join(temporary, 'demo');
const scratch = makeFolders();
/** What is closed at the end. */
const opened = [];
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end(130));
try {
  const remote = await openRemoteServers();
  opened.push(remote);
  mkdirSync(join(root, 'docs/pictures'), { recursive: true });
  for (const scene of scenes) {
    if (wanted.length === 0 || wanted.includes(scene.name)) await take(scene, toEntries(remote.urls));
  }
  await end(0);
} catch (error) {
  if (!isEnding) process.stderr.write(`${error.message}\n`);
  await end(1);
}

async function take(scene, servers) {
  const { name, rows = ROWS, turn = 1, leaveOut = [], also = {} } = scene;
  const [folder, project] = [join(scratch, name), join(home, 'project')];
  mkdirSync(folder);
  const entries = Object.entries(servers).filter(([server]) => !leaveOut.includes(server));
  const mcpServers = { ...Object.fromEntries(entries), ...also };
  writeHome({ mcpServers, permissions: { allow } });
  const model = await startModel(folder, turns.slice(turn - 1));
  opened.push(model);
  const env = {
    HOME: home,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    PS1: '$ ',
    PLUGBOARD_KEYCHAIN: 'off',
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_MODEL: 'scripted',
  };
  spawnSync(join(home, 'bin/plugboard'), ['trust', project], { cwd: project, env });
  const terminal = openTerminal({ folder, cwd: project, env, columns: COLUMNS, rows });
  opened.push(terminal);
  try {
    await terminal.untilMatches(/^\$/u);
    await scene.play(terminal);
    const shown = toShownRows(terminal.capture(), scene);
    const { html, size } = toTerminalPage({ rows: shown, columns: COLUMNS, title: 'plugboard' });
    const file = join(root, 'docs/pictures', `${name}.png`);
    const { length } = await takeScreenshot({ chromium, html, size, folder, file });
    if (length > SIZE_LIMIT) throw new Error(`${name}.png has ${length} bytes, more than ${SIZE_LIMIT}`);
    process.stdout.write(`docs/pictures/${name}.png (${Math.ceil(length / 1000)} kB)\n`);
  } finally {
    for (const one of opened.splice(-2)) one.close();
    await untilEnded();
  }
}

/** A session that ends still writes into its HOME. */
async function untilEnded() {
  while (isRunning()) await pause(50);
}

function isRunning() {
  try {
    return process.kill(Number(readFileSync(join(home, 'pid'), 'utf8')), 0);
  } catch {
    return false; // there is no such process, or none was started
  }
}

/** A new HOME with a project, the configuration and the program. */
function writeHome(config) {
  removeFolder(home);
  for (const folder of ['project', 'bin', '.config/plugboard']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, '.config/plugboard/config.json'), JSON.stringify(config, null, 2));
  const program = `#!/bin/sh\necho $$ > "$HOME/pid"\nexec '${process.execPath}' '${join(root, 'dist/plugboard.js')}' "$@"\n`;
  writeFileSync(join(home, 'bin/plugboard'), program, { mode: 0o755 });
}

async function startModel(folder, script) {
  const file = join(folder, 'turns.json');
  writeFileSync(file, JSON.stringify(script));
  const args = [join(root, 'test/fixtures/model-server.mjs'), '--script', file];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { url, close: () => void child.kill() };
}

/** The rows of the picture, with the cursor where one is visible. */
function toShownRows({ text, cursor }, { from = /^/u, isFull = false }) {
  const lines = text.replace(/\n$/u, '').split('\n');
  const rows = parseTerminalText(text).slice(0, lines.length);
  if (cursor) rows[cursor.row]?.push(toCursor(cursor.column));
  const first = rows.findIndex((runs) => from.test(runs.map((run) => run.text).join('')));
  if (first === -1) throw new Error(`No row matches ${from}:\n${text}`);
  const last = isFull ? rows.length - 1 : rows.findLastIndex((runs) => runs.some((run) => run.text.trim() !== ''));
  return rows.slice(first, Math.max(last, cursor?.row ?? 0) + 1);
}

function toCursor(column) {
  const style = {
    foreground: 7,
    background: 7,
    bold: false,
    dim: false,
    italic: false,
    underline: false,
    inverse: false,
  };
  return { text: ' ', column, width: 1, style };
}

/** Takes the folder of HOME, and makes one for everything else. */
function makeFolders() {
  try {
    mkdirSync(home);
  } catch {
    stop(`${home} is in the way: it is the HOME of the pictures. Remove it, or set TMPDIR`);
  }
  return mkdtempSync(join(temporary, 'plugboard-pictures-'));
}

/** Closes and removes all that was made. Only the first call counts: an interrupted picture fails afterwards. */
async function end(code) {
  if (isEnding) return;
  isEnding = true;
  for (const one of opened) one.close();
  await untilEnded();
  for (const folder of [home, scratch]) removeFolder(folder);
  process.exit(code);
}

function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
