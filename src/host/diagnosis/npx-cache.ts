import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { HostConfig } from '../../config/load.js';
import { isFolder, isThere } from '../../edge/files/folders.js';
import { readBounded } from '../../edge/files/read-file.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Finding } from './finding.js';
import { launchOf } from './launch.js';

/**
 * Finds packages that npx has unpacked only in part, after a download that was interrupted. npx uses such a folder again
 * and again, so that the server never starts.
 */
export function diagnoseNpxCache(servers: readonly ConfiguredServer[], { context }: HostConfig): readonly Finding[] {
  const { env } = context;
  const cache = env['npm_config_cache'] ?? env['NPM_CONFIG_CACHE'] ?? (env['HOME'] && join(env['HOME'], '.npm'));
  if (cache === undefined || cache === '') return [];
  return servers.flatMap((server): Finding[] => {
    const word = npxPackageOf(server);
    if (word === undefined) return [];
    const folder = join(cache, '_npx', folderNameOf(word));
    const damage = isFolder(folder) ? damageOf(folder, word) : undefined;
    if (damage === undefined) return [];
    const cause = gateLine(damage, { limit: CAUSE_LIMIT }).text;
    const { name } = server;
    const message = `"${name}" may not start: npx has a damaged copy of its package in ${folder}`;
    const hint = `Remove that copy, and npx downloads the package again: rm -rf ${shellWord(folder)}`;
    return [{ server: name, severity: 'warning', code: 'npx-cache', message, cause, hint }];
  });
}

const CAUSE_LIMIT = 500; // characters; paths in it are a package's own words

/** The package as the entry names it; undefined for what npx does not download: a path, a URL, a git repository. */
function npxPackageOf(server: ConfiguredServer): string | undefined {
  const launch = launchOf(server);
  if (launch?.program !== 'npx' || launch.runs?.kind !== 'package') return undefined;
  // npx names the folder for all packages together; with several, which these are is not known here.
  if (launch.argv.filter((word) => /^(?:-p|--package)(?:=|$)/u.test(word)).length > 1) return undefined;
  const word = launch.argv[launch.runs.at]!;
  return /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=*-]+)?$/u.test(word) ? word : undefined;
}

/** As libnpmexec names it: the first 16 digits of the SHA-512 of the package as it was asked for. */
function folderNameOf(word: string): string {
  return createHash('sha512').update(word).digest('hex').slice(0, 16);
}

function damageOf(folder: string, word: string): string | undefined {
  if (isThere(join(folder, 'concurrency.lock'))) return undefined; // another npx is at work there
  const modules = join(folder, 'node_modules');
  const lost = lockedFoldersOf(modules).find((path) => !isThere(join(folder, path)));
  if (lost !== undefined) return `${lost} is not there`;
  const name = word.replace(/(?<=.)@[^@/]*$/u, '');
  const home = join(modules, name);
  if (!isThere(home)) return undefined; // npx downloads it
  const manifest = jsonIn(join(home, 'package.json'));
  if (!manifest) return `node_modules/${name}/package.json is not there, or is not JSON`;
  const missing = programsOf(manifest).find((path) => !isThere(join(home, path)));
  return missing === undefined ? undefined : `its program node_modules/${name}/${missing} is not there`;
}

/** What npm has written down as installed. npx believes it, and does not look whether it is there. */
function lockedFoldersOf(modules: string): readonly string[] {
  const packages = jsonIn(join(modules, '.package-lock.json'))?.['packages'];
  if (!isObject(packages)) return [];
  return Object.keys(packages).filter((path) => {
    const entry = packages[path];
    return path.startsWith('node_modules/') && isObject(entry) && entry['optional'] !== true;
  });
}

function jsonIn(file: string): JsonObject | undefined {
  const read = readBounded(file, { limit: JSON_LIMIT });
  const value = read.kind === 'text' ? parseJson(read.text) : undefined;
  return isObject(value) ? value : undefined;
}

const JSON_LIMIT = 16_777_216; // bytes; a lock file of 500 packages has 200,000

function programsOf({ bin }: JsonObject): readonly string[] {
  if (typeof bin === 'string') return [bin];
  return isObject(bin) ? Object.values(bin).filter((path) => typeof path === 'string') : [];
}
