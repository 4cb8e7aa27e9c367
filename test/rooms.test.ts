import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** Which rooms each room may import. A room may always import itself; everything not listed is forbidden. */
const rooms: Record<string, readonly string[]> = {
  base: [],
  model: ['base'],
  edge: ['model', 'base'],
  wire: ['model', 'base'],
  transports: ['wire', 'edge', 'model', 'base'],
  auth: ['edge', 'model', 'base'],
  guard: ['edge', 'model', 'base'],
  results: ['edge', 'model', 'base'],
  config: ['transports', 'edge', 'model', 'base'],
  connection: ['transports', 'auth', 'wire', 'edge', 'model', 'base'],
  tools: ['connection', 'auth', 'results', 'wire', 'edge', 'model', 'base'],
  testing: ['wire', 'edge', 'model', 'base'],
  lanes: ['connection', 'wire', 'edge', 'model', 'base'],
  serving: ['wire', 'edge', 'model', 'base'],
  gateway: ['host', 'serving', 'lanes', 'connection', 'config', 'wire', 'edge', 'model', 'base'],
  host: [
    'lanes',
    'tools',
    'auth',
    'guard',
    'results',
    'connection',
    'config',
    'transports',
    'wire',
    'edge',
    'model',
    'base',
  ],
  session: ['host', 'edge', 'model', 'base'],
  actions: ['host', 'config', 'guard', 'connection', 'auth', 'model', 'base'],
  cli: ['actions', 'model', 'base'],
  adapters: ['model', 'base'],
};
/** The public doors, which cli and adapters may import as well. */
const doors = ['index.js', 'session/index.js', 'testing/index.js', 'gateway/index.js'];
/** Rooms that stay pure: no Node modules, no I/O, no clock. */
const pure = ['base', 'model'];
const LINE_LIMIT = 400;
const FOLDER_LIMIT = 25; // without tests; a larger folder no longer shows what is inside

const src = resolve(import.meta.dirname, '../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.split(sep).join('/'))
  .toSorted();
const roomOf = (path: string): string => relative(src, path).split(sep)[0]!;
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));
const textOf = (file: string): string => texts.get(file)!;

/** Every module a source file names: imports, type imports, re-exports, import() and import types. */
function importsOf(path: string, source: string): string[] {
  const parsed = parseSync(path, source);
  const { module, errors } = parsed;
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const found = new Set<string>();
  for (const { moduleRequest } of module.staticImports) found.add(moduleRequest.value);
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest) found.add(moduleRequest.value);
  }
  // The tree of a file costs far more than the rest: few files have what only the tree shows.
  if (!DYNAMIC.test(source)) return [...found];
  visit(parsed.program, (node) => {
    if (node['type'] !== 'ImportExpression' && node['type'] !== 'TSImportType') return;
    const wanted = (node['source'] ?? node['argument']) as
      | { value?: unknown; literal?: { value?: unknown } }
      | undefined;
    const value = wanted?.value ?? wanted?.literal?.value;
    if (typeof value !== 'string') throw new Error(`${path}: an import whose target is not a plain string`);
    found.add(value);
  });
  return [...found];
}

/** `import(`, also with a phase, blanks or comments in between. */
const DYNAMIC = /\bimport\b(?:\s|\.\s*(?:source|defer)\b|\/\*[^]*?\*\/|\/\/[^\n]*\n)*\(/u;

/** Globals with which a pure room could do I/O or read the clock without an import. */
const impure = ['process', 'Date', 'performance', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'require'];
const IMPURE = new RegExp(String.raw`\b(?:${impure.join('|')})\b`, 'u');

function impurities(path: string, source: string): string[] {
  if (!IMPURE.test(source)) return [];
  const found = new Set<string>();
  visit(parseSync(path, source).program, (node) => {
    const name = node['type'] === 'Identifier' ? node['name'] : undefined;
    if (typeof name === 'string' && impure.includes(name)) found.add(name);
  });
  return [...found].map((name) => `${roomOf(path)} uses ${name}, and is to stay pure`);
}

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, see);
  else if (node !== null && typeof node === 'object') {
    see(node as Record<string, unknown>);
    for (const child of Object.values(node)) visit(child, see);
  }
}

/** The forbidden imports of a file, one sentence each. */
function trespasses(path: string, source: string): string[] {
  const room = roomOf(path);
  if (!(room in rooms)) return relative(src, path) === 'index.ts' ? [] : [`${room} is not a room of this house`];
  const found = pure.includes(room) ? impurities(path, source) : [];
  for (const wanted of importsOf(path, source)) {
    if (wanted.startsWith('.')) {
      const target = roomOf(resolve(dirname(path), wanted));
      const isDoor = (room === 'cli' || room === 'adapters') && doors.includes(below(path, wanted));
      if (target !== room && !isDoor && !rooms[room]!.includes(target))
        found.push(`${room} imports ${target} (${wanted})`);
    } else if (pure.includes(room)) found.push(`${room} imports ${wanted}, and is to stay pure`);
  }
  return found;
}

/** The paths below src that a file loads at import time, without types and lazy imports. */
function loadedBy(file: string): string[] {
  const path = join(src, file);
  const { module } = parseSync(path, textOf(file));
  const found = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
    ),
  ];
  return found.filter((wanted) => wanted.startsWith('.')).map((wanted) => below(path, wanted));
}

/** The path below src of an import: `host/inside.js` for `../host/inside.js`. */
function below(path: string, wanted: string): string {
  return relative(src, resolve(dirname(path), wanted))
    .split(sep)
    .join('/');
}

test('an action or a verb loads no room that does I/O before it is run', () => {
  const light = ['actions', 'cli', 'model', 'base'];
  const heavy = files
    .filter((file) => file.startsWith('actions/') || file.startsWith('cli/verbs/'))
    .flatMap((file) =>
      loadedBy(file)
        .filter((wanted) => !light.includes(wanted.split('/')[0]!) && wanted !== 'host/inside.js')
        .map((wanted) => `${file} loads ${wanted}`),
    );
  expect(heavy).toEqual([]);
});

const imports = new Map(files.map((file) => [file, importsOf(join(src, file), textOf(file))]));

test('nobody but host, actions and gateway has the key to the inside of a host', () => {
  const having = files.filter((file) =>
    imports.get(file)!.some((wanted) => below(join(src, file), wanted) === 'host/inside.js'),
  );
  expect(having.filter((file) => !/^(?:host|actions|gateway)\//u.test(file))).toEqual([]);
});

test('the scan sees the source, in every room', () => {
  expect(files.length).toBeGreaterThan(30);
  for (const room of Object.keys(rooms)) expect(files.some((file) => file.startsWith(`${room}/`))).toBe(true);
  expect([...imports.values()].flat().length).toBeGreaterThan(50);
});

test('nobody asks URL.canParse, which says another thing once it is compiled', () => {
  const asking = files.filter((file) => textOf(file).includes('URL.canParse('));
  expect(asking).toEqual([]);
});

test.each([
  [`import { x } from '../config/load.js';`, 1],
  [`import type { X } from '../config/load.js';`, 1],
  [`import { type X } from '../config/load.js';`, 1],
  [`import '../config/load.js';`, 1],
  [`export { x } from '../config/load.js';`, 1],
  [`export * from '../config/load.js';`, 1],
  [`export const x = () => import('../config/load.js');`, 1],
  [`export type X = import('../config/load.js').X;`, 1],
  [`import { readFileSync } from 'node:fs';`, 1],
  [`export const now = () => Date.now();`, 1],
  [`export const read = () => process.getBuiltinModule('node:fs');`, 1],
  [`import { HostError } from '../base/errors.js';`, 0],
  [`// import { x } from '../config/load.js';`, 0],
  [`export const x = "import { x } from '../config/load.js'";`, 0],
])('in model, %s gives %i complaints', (source, complaints) => {
  expect(trespasses(join(src, 'model/example.ts'), source)).toHaveLength(complaints);
});

test.each([
  [`import type { Host } from '../host/host.js';`, 1],
  [`export const load = () => import('../config/load.js');`, 1],
  [`import { Session } from '../session/session.js';`, 1],
  [`import type { Host } from '../index.js';`, 0],
  [`import { Session } from '../session/index.js';`, 0],
  [`import { perform } from '../actions/perform.js';`, 0],
])('in the terminal, %s gives %i complaints', (source, complaints) => {
  expect(trespasses(join(src, 'cli/example.ts'), source)).toHaveLength(complaints);
});

test('every file imports only what its room may', () => {
  const found = files.flatMap((file) => trespasses(join(src, file), textOf(file)).map((one) => `${file}: ${one}`));
  expect(found).toEqual([]);
});

test(`no folder has more than ${FOLDER_LIMIT} files, tests aside`, () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > FOLDER_LIMIT)).toEqual([]);
});

test(`every file stays under ${LINE_LIMIT} lines`, () => {
  expect(files.filter((file) => textOf(file).split('\n').length > LINE_LIMIT)).toEqual([]);
});
