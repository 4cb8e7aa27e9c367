import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../peers', import.meta.url));
const INSTALL_LIMIT_MS = 240_000; // 280 MB, most of it the newer Node
const NEWER_NODE = 24; // the version that mcporter requires

/** Programs of other hosts, with the arguments of the two commands measured: help, and a list of no servers. */
const peers = [
  { name: 'mcporter', help: ['--help'], list: ['list'] },
  { name: 'claude', help: ['--help'], list: ['mcp', 'list'] },
  { name: 'codex', help: ['--help'], list: ['mcp', 'list'] },
  { name: 'gemini', help: ['--help'], list: ['mcp', 'list'] },
  { name: 'opencode', help: ['--help'], list: ['mcp', 'list'] },
];

/** Each peer with its program and the Node that runs it; both undefined when the peer is not installed. */
export function findPeers() {
  return peers.map((peer) => {
    const program = [join(folder, 'node_modules/.bin'), ...(process.env.PATH ?? '').split(delimiter)]
      .map((directory) => join(directory, peer.name))
      .find(isProgram);
    return { ...peer, program, node: program && nodeOf(program) };
  });
}

/** Installs bench/peers unless that is done. Returns the reason when it fails; a bench then goes on without peers. */
export function installPeers() {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return undefined;
  process.stderr.write('Installing the clients to compare with into bench/peers (once) ...\n');
  // No --engine-strict: two peers need a newer Node, which is installed with them. No scripts: no peer needs one.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const options = { cwd: folder, stdio: ['ignore', 2, 2], timeout: INSTALL_LIMIT_MS };
  const { status, error } = spawnSync('npm', args, options);
  return status === 0 ? undefined : `not installed, npm ci in bench/peers ${error?.message ?? `ended with ${status}`}`;
}

/** Version by package. */
export function peerVersions() {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies;
}

/** A Node that every peer runs on: this one if new enough, else the one installed with the peers, else undefined. */
export function findNewerNode() {
  if (majorOf(process.versions.node) >= NEWER_NODE)
    return { path: process.execPath, major: majorOf(process.versions.node) };
  const path = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  return isProgram(path) ? { path, major: NEWER_NODE } : undefined;
}

function majorOf(version) {
  return Number(version.split('.')[0]);
}

/** The Node in the program's folder (version managers put it there), else this one; undefined for no Node script. */
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
    return false; // not there, or not executable
  }
}
