import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SERVERS } from './installed-server.js';

/** The installation has 1.2 GB in 1,300 packages. */
export const INSTALL_LIMIT = 900_000;

/** Installs test/servers if needed, and reports progress. Rejects with what to do. */
export async function installServers(): Promise<void> {
  const lock = join(SERVERS, 'package-lock.json');
  const installed = join(SERVERS, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const all = countPackages(lock);
  tell(`Installing ${all} packages of other people's servers into test/servers (once, about 1.2 GB) ...`);
  // No scripts and no optional packages: no server needs them here, and nothing is compiled or specific to one system.
  const args = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--fetch-retries=1'];
  const npm = spawn('npm', [...args, '--loglevel=http'], {
    cwd: SERVERS,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: INSTALL_LIMIT,
  });
  const ended = once(npm, 'close').catch((error: Error) => [error.message]);
  const errors: string[] = [];
  let answers = 0;
  let packages = 0;
  let told = performance.now();
  for await (const line of createInterface({ input: npm.stderr })) {
    if (line.startsWith('npm error') && errors.length < ERROR_LINES) errors.push(line);
    if (line.startsWith('npm http') && !line.includes('failed')) answers++;
    if (line.includes('.tgz')) packages++;
    if (performance.now() - told < TELL_MS) continue;
    told = performance.now();
    tell(`... ${answers} answers of the registry, ${packages} of ${all} packages`);
  }
  const [code, signal] = (await ended) as [unknown, unknown];
  if (code === 0) return tell('... installed');
  throw new Error(
    `The servers of test/servers are not installed: npm ci ended with ${String(signal ?? code)}.\n${errors.join('\n')}\n` +
      'They come from the registry that npm is set to. Connect to a network in which it answers and run it again, ' +
      'or leave them out with: npm test',
  );
}

const TELL_MS = 5_000;
const ERROR_LINES = 5; // npm's own stack follows

function countPackages(lock: string): number {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages: Record<string, { optional?: boolean; integrity?: string }>;
  };
  return Object.values(packages).filter(({ optional, integrity }) => optional !== true && integrity !== undefined)
    .length;
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
