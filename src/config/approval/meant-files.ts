import { dirname, join, resolve } from 'node:path';
import { isFile } from '../../edge/files/folders.js';
import { byName, programName } from './program-name.js';

/** A word of a command line, and the file that it means from a given folder. */
export interface Meaning {
  readonly word: string;
  /** The file that the word means there; undefined when there is none. */
  readonly findFrom: (folder: string) => string | undefined;
}

/**
 * The files that a text may name: as a whole, and word by word, because `sh -c "node server.mjs"`, `--import=./x.mjs`,
 * `-v ./x.json:/x.json` and `-r./x.js` name files, too. Interpreters and package runners (`node .`, `node server`,
 * `python -m server`, `npx tool`) resolve names by rules of their own.
 */
export function fileFinder(argv: readonly string[]): (text: string) => readonly Meaning[] {
  const programs = new Set(argv.flatMap((word) => [word, ...wordsOf(word)]).map(programName));
  const isInterpreted = INTERPRETERS.some((name) => programs.has(name));
  const isInstalled = [...INSTALLING].some((name) => programs.has(name));
  return (text) =>
    [...new Set([text, ...wordsOf(text)])].map((word) => ({
      word,
      findFrom(folder) {
        const path = resolve(folder, word);
        if (isFile(path)) return path;
        const bins = isInstalled && PACKAGE_BIN.test(word) ? nearestFile(folder, [join(BIN, word)]) : undefined;
        return bins === undefined && isInterpreted ? moduleFiles(folder, word).find(isFile) : bins;
      },
    }));
}

/** The candidates for `node server`, `node .` and `python -m package.server`. */
function moduleFiles(folder: string, word: string): readonly string[] {
  const path = resolve(folder, word);
  const module = resolve(folder, word.replaceAll('.', '/'));
  return [
    ...ENDINGS.map((ending) => path + ending),
    ...MAINS.map((main) => join(path, main)),
    `${module}.py`,
    join(module, '__main__.py'),
  ];
}

/** Files that a program reads though no word names them: `npm start` runs what the nearest package.json says. */
export function impliedFiles(argv: readonly string[]): readonly Meaning[] {
  const words = argv.flatMap((word) => [word, ...wordsOf(word)]);
  return [...new Set(words)].flatMap((word) => {
    const program = programName(word);
    const settings = (SETTINGS.get(program) ?? []).map((name) => [name]);
    return [MANIFESTS.get(program) ?? [], ...settings]
      .filter((files) => files.length > 0)
      .map((files) => ({ word, findFrom: (folder: string) => nearestFile(folder, files) }));
  });
}

const INTERPRETERS = [
  'node',
  'nodejs',
  'tsx',
  'ts-node',
  'bun',
  'deno',
  'python',
  'pypy',
  'py',
  'ruby',
  'perl',
  'lua',
  'php',
  'uv',
];
const ENDINGS = ['.js', '.json', '.node', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.py', '.rb', '.pl', '.lua', '.php'];
const MAINS = ['package.json', 'index.js', 'index.mjs', 'index.ts', '__main__.py'];
/** Programs that search the nearest node_modules first. */
export const INSTALLING = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun']);
const BIN = join('node_modules', '.bin');
const PACKAGE_BIN = /^[\w-][\w.-]*$/u;

const MANIFESTS = byName([
  ['npm pnpm yarn bun', ['package.json']],
  ['deno', ['deno.json', 'deno.jsonc', 'package.json']],
  ['uv poetry pdm hatch', ['pyproject.toml']],
  ['pipenv', ['Pipfile']],
  ['pixi', ['pixi.toml', 'pyproject.toml']],
  ['cargo', ['Cargo.toml']],
  ['go', ['go.mod']],
  ['bundle', ['Gemfile']],
  ['rake', ['Rakefile', 'rakefile']],
  ['make gmake', ['GNUmakefile', 'makefile', 'Makefile']],
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['task', ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml']],
  ['docker podman', ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml']],
  ['nix', ['flake.nix']],
  ['devbox', ['devbox.json']],
  ['mise', ['mise.toml', '.mise.toml', '.tool-versions']],
  ['gradle', ['build.gradle', 'build.gradle.kts']],
  ['mvn', ['pom.xml']],
]);

function nearestFile(folder: string, names: readonly string[]): string | undefined {
  return nearestPath(folder, names, isFile);
}

/** Settings of runners, which say where packages come from and what is loaded: each file counts separately. */
const SETTINGS = byName([
  ['npx npm pnpx', ['.npmrc']],
  ['pnpm', ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs']],
  ['yarn', ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnp.cjs']],
  ['bun bunx', ['.npmrc', 'bunfig.toml']],
  ['tsx ts-node', ['tsconfig.json']],
  ['uv uvx', ['uv.toml']],
  ['cargo', [join('.cargo', 'config.toml'), join('.cargo', 'config')]],
  ['go', ['go.work']],
]);

export function nearestPath(
  folder: string,
  names: readonly string[],
  isIt: (path: string) => boolean,
): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = names.map((name) => join(at, name)).find(isIt);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

/** Splits at blanks, quotes, shell operators, and what separates a path from an option (`=`, `:`, `,`, `@`). */
export function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`)"?\//gu, './')
    .split(/[\s"'`;&|<>(){}$=:,@]+/u)
    .flatMap((word) => (/^-[A-Za-z]./u.test(word) ? [word, word.slice(2)] : [word]))
    .filter((word) => word !== '');
}
