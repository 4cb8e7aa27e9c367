import { join, resolve } from 'node:path';
import { isObject, parseJson } from '../../base/json.js';
import { isFile, isFolder } from '../../edge/files/folders.js';
import { readBounded } from '../../edge/files/read-file.js';
import { INSTALLING, type Meaning, nearestPath, wordsOf } from './meant-files.js';
import { PACKAGE_RUNNERS, SUBCOMMANDS } from '../risks/package-risks.js';
import { programName } from './program-name.js';

/** A package or folder that a package runner is to run, and the index of the argument that names it. */
export interface PackageSource extends Meaning {
  readonly argument: number;
}

/**
 * The folders and packages that a command line runs: `./server` in `npx -y ./server`, `./x` in `uvx --from ./x tool`,
 * and for `npx @scope/tool` what the nearest node_modules has. Words after these are data of the program.
 */
export function sourcesOf(argv: readonly string[]): readonly PackageSource[] {
  const whole = takenWords(argv).map((taken) => ({ ...taken, argument: taken.at }));
  const inner = argv.flatMap((text, argument) =>
    /\s/u.test(text) ? takenWords(text.split(BETWEEN)).map((taken) => ({ ...taken, argument })) : [],
  );
  return [...whole, ...inner].flatMap(({ argument, ...taken }) =>
    meaningsOf(taken).map((meaning) => ({ argument, ...meaning })),
  );
}

const BETWEEN = /[\s'"`;&|()<>]+/u;

interface Taken {
  readonly at: number;
  readonly program: string;
  readonly word: string;
  /** The word is, or may be, the value of an option, where even a bare name may be a path. */
  readonly isValue: boolean;
}

/** The words after a package runner, up to the first that is certainly what it runs. */
function takenWords(words: readonly string[]): readonly Taken[] {
  const found: Taken[] = [];
  let program: string | undefined;
  let hasCommand = false;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? '';
    if (program !== undefined && word !== '--') {
      const isValue = before.startsWith('-') && !before.includes('=') && !SWITCHES.test(before);
      if (word.startsWith('-')) {
        const value = word.includes('=')
          ? word.slice(word.indexOf('=') + 1)
          : /^-[A-Za-z]./u.test(word) && word.slice(2);
        if (value !== false) found.push({ at, program, word: value, isValue: true });
      } else if (!isValue && !hasCommand && SUBCOMMANDS.has(word)) {
        hasCommand = word !== 'tool'; // `uv tool run`
      } else {
        found.push({ at, program, word, isValue });
        if (!isValue) program = undefined;
      }
    }
    const name = programName(word);
    if (!PACKAGE_RUNNERS.has(name) && !LOADERS.has(name)) continue;
    program = name;
    hasCommand = COMMANDLESS.has(name);
  }
  return found;
}

/** Runners without subcommands: their first word is the package. */
const COMMANDLESS = new Set(['npx', 'pnpx', 'bunx', 'uvx']);
/** Programs that load packages by name from the nearest node_modules: `node -r tool/register`. */
const LOADERS = new Set(['node', 'nodejs', 'tsx', 'ts-node']);
/** Options that certainly take no value. */
const SWITCHES = /^(?:--|--(?:yes|quiet|silent|verbose|offline|no-install|prefer-(?:offline|online)|bun)|-[yqv])$/u;

function meaningsOf({ program, word, isValue }: Taken): readonly Meaning[] {
  const isLoader = LOADERS.has(program);
  const parts = isLoader ? [] : [...new Set([word, ...wordsOf(word)])].map((part) => part.split('[')[0]!);
  const folders = parts.filter((part) => isValue || /[/\\]|^[.~]/u.test(part)).map(folderMeaning);
  const name = PACKAGE.exec(word)?.[0];
  if (name === undefined || !(INSTALLING.has(program) || (isLoader && isValue))) return folders;
  const ways = [
    join('node_modules', name),
    ...(isLoader ? [] : [join('node_modules', '.bin', name.slice(name.indexOf('/') + 1))]),
  ];
  return [
    ...folders,
    ...ways.map((way) => ({ word, findFrom: (from: string) => nearestPath(from, [way], isAnything) })),
  ];
}

/** `@scope/tool`, or the `tool` in `tool@1.2` and `tool/register`. */
const PACKAGE = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*/u;

export function folderMeaning(word: string): Meaning {
  return {
    word,
    findFrom(folder) {
      const path = resolve(folder, word);
      return isFolder(path) ? path : undefined;
    },
  };
}

function isAnything(path: string): boolean {
  return isFile(path) || isFolder(path);
}

/** The nearest package.json with a `bin`: npx prefers programs of the package that it runs in. */
export function ownProgram(argv: readonly string[]): readonly Meaning[] {
  const runners = argv.flatMap((word) => [word, ...wordsOf(word)]).filter((word) => OWN.has(programName(word)));
  return [...new Set(runners)].map((word) => ({
    word,
    findFrom(folder) {
      const manifest = nearestPath(folder, ['package.json'], isFile);
      return manifest !== undefined && bringsProgram(manifest) ? manifest : undefined;
    },
  }));
}

const OWN = new Set(['npx', 'pnpx', 'bunx']);

function bringsProgram(manifest: string): boolean {
  const read = readBounded(manifest);
  if (read.kind !== 'text') return read.kind === 'refused';
  const fields = parseJson(read.text);
  if (!isObject(fields)) return false; // npx cannot read it either
  return fields['bin'] !== undefined || (isObject(fields['directories']) && fields['directories']['bin'] !== undefined);
}
