import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../peers', import.meta.url));
const MCPORTER = 'mcporter@0.9.0'; // the newest that admits Node 20

/** Other hosts' programs, and what they call the two things measured: to say what they can do, to list nothing. */
const peers = [
  { name: 'mcporter', help: ['--help'], list: ['list'] },
  { name: 'claude', help: ['--help'], list: ['mcp', 'list'] },
  { name: 'codex', help: ['--help'], list: ['mcp', 'list'] },
  { name: 'gemini', help: ['--help'], list: ['mcp', 'list'] },
];

/** Those installed, each with its program and the Node that runs it; undefined where a peer is not installed. */
export function findPeers() {
  return peers.map((peer) => {
    const program = [join(folder, 'node_modules/.bin'), ...(process.env.PATH ?? '').split(delimiter)]
      .map((directory) => join(directory, peer.name))
      .find(isProgram);
    return { ...peer, program, node: program && nodeOf(program) };
  });
}

export function installPeers() {
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--engine-strict', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status } = spawnSync('npm', [...args, '--no-save', MCPORTER], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm could not install ${MCPORTER}; see above`);
}

/** The Node beside it, as version managers lay it out, else the one of this run; undefined when it is not a script of Node. */
function nodeOf(program) {
  const firstLine = readFileSync(program).subarray(0, 200).toString('latin1').split('\n')[0];
  if (!/^#!.*\bnode\b/u.test(firstLine)) return undefined;
  const beside = join(dirname(program), 'node');
  return isProgram(beside) ? realpathSync(beside) : process.execPath;
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not to be run
  }
}
