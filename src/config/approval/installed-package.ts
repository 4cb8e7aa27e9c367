import { basename, dirname, join, resolve, sep } from 'node:path';
import { isObject, parseJson } from '../../base/json.js';
import { realPathOf } from '../../edge/files/folders.js';
import { readBounded } from '../../edge/files/read-file.js';
import type { InstalledPackage } from '../../model/pins/lock.js';
import { serverTargetOf } from '../../transports/kinds.js';
import type { ConfiguredServer } from '../entries/server.js';

/**
 * The package that a server runs from, if it is installed here: by `npx`, from `node_modules/.bin`, or as a script in
 * `node_modules`. Only reads files; runs and fetches nothing. Undefined when unknown. Never throws.
 */
export function installedPackage(
  { config }: Pick<ConfiguredServer, 'config'>,
  cwd: string,
): InstalledPackage | undefined {
  const target = config && serverTargetOf(config);
  if (target?.kind !== 'command') return undefined;
  const folder = resolve(cwd, target.cwd ?? '.');
  const root = packageRoot(target.argv, folder);
  return root === undefined ? undefined : readPackage(root);
}

function packageRoot([command = '', ...args]: readonly string[], folder: string): string | undefined {
  const program = basename(command).replace(/\.(?:cmd|exe)$/u, '');
  if (RUNNERS.has(program)) {
    const wanted = wantedPackage(args);
    return wanted && findPackage(wanted, folder);
  }
  const script = ENGINES.has(program) ? args.find((argument) => !argument.startsWith('-')) : command;
  // A bare word is looked up on the PATH, which does not tell where it was installed.
  return script !== undefined && /[\\/]/u.test(script) ? rootOf(resolve(folder, script)) : undefined;
}

const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx']);
const ENGINES: ReadonlySet<string> = new Set(['node', 'bun', 'tsx']);

interface Wanted {
  readonly name: string;
  /** The exact version, if the argument names one. */
  readonly version: string | undefined;
}

function wantedPackage(args: readonly string[]): Wanted | undefined {
  for (const [at, argument] of args.entries()) {
    if (argument === '-c' || argument === '--call' || argument.startsWith('--call=')) return undefined;
    if (argument === '-p' || argument === '--package') return parseSpec(args[at + 1] ?? '');
    if (argument.startsWith('--package=')) return parseSpec(argument.slice('--package='.length));
    if (!argument.startsWith('-')) return parseSpec(argument);
  }
  return undefined;
}

/** Parses `name` or `@scope/name@1.2.3`; undefined for a path or URL, which names no installed package. */
function parseSpec(spec: string): Wanted | undefined {
  const found = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@([^/:]*))?$/iu.exec(spec);
  if (!found) return undefined;
  const [, name = '', range] = found;
  return { name, version: range !== undefined && /^\d+\.\d+\.\d+/u.test(range) ? range : undefined };
}

/** Searches as node does: in the folder, then in each one above. */
function findPackage({ name, version }: Wanted, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const root = join(at, 'node_modules', ...name.split('/'));
    const found = readPackage(root);
    // If another version than the requested one is installed, it is not what runs.
    if (found) return version === undefined || version === found.version ? root : undefined;
    if (dirname(at) === at) return undefined;
  }
}

/** The folder of the package that a file belongs to, symbolic links followed, which `.bin` consists of. */
function rootOf(file: string): string | undefined {
  const parts = (realPathOf(file) ?? file).split(sep);
  const at = parts.lastIndexOf('node_modules');
  const [first = '', second = ''] = parts.slice(at + 1);
  if (at === -1 || first === '' || first.startsWith('.')) return undefined;
  return parts.slice(0, at + (first.startsWith('@') && second !== '' ? 3 : 2)).join(sep);
}

function readPackage(root: string): InstalledPackage | undefined {
  const { name, version } = readJson(join(root, 'package.json'), PACKAGE_LIMIT);
  if (!isShort(name) || !isShort(version)) return undefined;
  const integrity = integrityOf(root);
  return { name, version, ...(integrity !== undefined && { integrity }) };
}

/** The integrity hash that npm recorded at installation. */
function integrityOf(root: string): string | undefined {
  const at = root.lastIndexOf(`${sep}node_modules${sep}`);
  if (at === -1) return undefined;
  const { packages } = readJson(join(root.slice(0, at), 'node_modules', '.package-lock.json'), NOTE_LIMIT);
  const key = root
    .slice(at + 1)
    .split(sep)
    .join('/');
  const noted = isObject(packages) && Object.hasOwn(packages, key) ? packages[key] : undefined;
  const integrity = isObject(noted) ? noted['integrity'] : undefined;
  return isShort(integrity) ? integrity : undefined;
}

function readJson(file: string, limit: number): { readonly [key: string]: unknown } {
  const read = readBounded(file, { limit });
  if (read.kind !== 'text') return {};
  const value = parseJson(read.text);
  return isObject(value) ? value : {}; // any other value names no version
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 256;
}

const PACKAGE_LIMIT = 1_048_576;
const NOTE_LIMIT = 16_777_216; // the lock file of a whole node_modules
