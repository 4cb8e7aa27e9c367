import { isObject } from '../../base/json.js';
import { PIN_START } from './pinned-text.js';

/** What `mcp.lock` says of one server. Each pin is the hash of an accepted definition. */
export interface LockedServer {
  /** The pin of the entry as written. */
  readonly entry: string | undefined;
  readonly package: InstalledPackage | undefined;
  /** Pins of the repository's files that the entry runs, by their path from its root. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
}

/** The package that a local server is run from. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** As the package manager recorded it at installation. */
  readonly integrity?: string;
}

/** A whole lock file; for a server whose part cannot be read, the fault. */
export interface Lock {
  readonly servers: ReadonlyMap<string, LockedServer | LockFault>;
}

export interface LockFault {
  readonly fault: string;
  /** The JSON path of the fault. */
  readonly path: readonly string[];
}

const LOCK_VERSION = 1;

/** Reads a lock file. What cannot be read is a fault, never "nothing is pinned". */
export function parseLock(value: unknown): Lock | LockFault {
  if (!isObject(value)) return { fault: 'expected an object', path: [] };
  const { version, servers } = value;
  if (version !== LOCK_VERSION) {
    const found = typeof version === 'number' ? `is of version ${version}` : 'does not say its version';
    return { fault: `${found}; this program reads version ${LOCK_VERSION}`, path: ['version'] };
  }
  if (!isObject(servers)) return { fault: 'has no "servers"', path: ['servers'] };
  return { servers: new Map(Object.entries(servers).map(([name, server]) => [name, parseServer(name, server)])) };
}

export function isFault(value: object): value is LockFault {
  return 'fault' in value;
}

function parseServer(name: string, server: unknown): LockedServer | LockFault {
  const path = ['servers', name];
  if (!isObject(server)) return { fault: 'expected an object', path };
  const { entry, instructions } = server;
  for (const [field, value] of Object.entries({ entry, instructions })) {
    if (value !== undefined && !isPin(value)) return { fault: NO_PIN, path: [...path, field] };
  }
  const tools = parsePins(server['tools'], [...path, 'tools']);
  const prompts = parsePins(server['prompts'], [...path, 'prompts']);
  const installed = parsePackage(server['package']);
  const files = server['files'] === undefined ? undefined : parsePins(server['files'], [...path, 'files']);
  if ('fault' in tools) return tools;
  if ('fault' in prompts) return prompts;
  if (files && 'fault' in files) return files;
  if (installed === null) return { fault: 'expected "name" and "version"', path: [...path, 'package'] };
  return {
    entry: entry as string | undefined,
    package: installed,
    ...(files && { files: files.pins }),
    instructions: instructions as string | undefined,
    tools: tools.pins,
    prompts: prompts.pins,
  };
}

function parsePins(
  value: unknown,
  path: readonly string[],
): { readonly pins: ReadonlyMap<string, string> } | LockFault {
  // A missing list would make everything in it new, and new tools may be used.
  if (!isObject(value)) return { fault: 'expected an object of pins', path };
  const pins = new Map<string, string>();
  for (const [name, pin] of Object.entries(value)) {
    if (!isPin(pin)) return { fault: NO_PIN, path: [...path, name] };
    pins.set(name, pin);
  }
  return { pins };
}

const NO_PIN = `expected "${PIN_START}" and 64 hexadecimal digits`;

function isPin(value: unknown): value is string {
  return typeof value === 'string' && /^sha256-[0-9a-f]{64}$/u.test(value);
}

function parsePackage(value: unknown): InstalledPackage | undefined | null {
  if (value === undefined) return undefined;
  if (!isObject(value)) return null;
  const { name, version, integrity } = value;
  if (typeof name !== 'string' || typeof version !== 'string') return null;
  return { name, version, ...(typeof integrity === 'string' && { integrity }) };
}

/** The file as it is committed: one pin on each line, sorted, so that a review shows only what has changed. */
export function formatLock(servers: ReadonlyMap<string, LockedServer>): string {
  const named = sorted(servers).map(([name, server]): [string, Tree] => [name, toTree(server)]);
  const file: readonly [string, Tree][] = [
    ['version', LOCK_VERSION],
    ['servers', named],
  ];
  return `${print(file, '')}\n`;
}

/** Fields in the order in which they are written: an object would put numeric names first. */
type Tree = string | number | readonly (readonly [string, Tree])[];

const PACKAGE_FIELDS = ['name', 'version', 'integrity'] as const;

function toTree({ entry, package: installed, files, instructions, tools, prompts }: LockedServer): Tree {
  return present([
    ['entry', entry],
    ['package', installed && present(PACKAGE_FIELDS.map((field) => [field, installed[field]]))],
    ['files', files && files.size > 0 ? sorted(files) : undefined],
    ['instructions', instructions],
    ['tools', sorted(tools)],
    ['prompts', sorted(prompts)],
  ]);
}

function present(fields: readonly (readonly [string, Tree | undefined])[]): readonly [string, Tree][] {
  return fields.flatMap(([field, value]): [string, Tree][] => (value === undefined ? [] : [[field, value]]));
}

function print(tree: Tree, indent: string): string {
  if (typeof tree !== 'object') return JSON.stringify(tree);
  if (tree.length === 0) return '{}';
  const inner = `${indent}  `;
  const lines = tree.map(([key, value]) => `${inner}${JSON.stringify(key)}: ${print(value, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

/** Sorted by code units: the same on every machine, whatever its locale. */
function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
