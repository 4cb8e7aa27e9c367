import { relative, resolve } from 'node:path';
import { isObject } from '../../base/json.js';
import { digest } from '../../edge/files/digest.js';
import { isFile } from '../../edge/files/folders.js';
import type { RawEntry } from '../../transports/kind.js';
import { type Environment, expandText, variablesIn } from '../entries/expand.js';
import { expandEntry, variablesOf } from '../entries/expand-entry.js';
import { fileFinder, impliedFiles, type Meaning, wordsOf } from './meant-files.js';
import { folderMeaning, ownProgram, sourcesOf } from './meant-sources.js';
import { variableRisks } from '../risks/variable-risks.js';

/** Where a choice was made: what its words meant is told by the folder, and by what its variables said there. */
export interface ApprovedPlace {
  /** The folder that the server would have started in. */
  readonly folder: string;
  /** A salted mark of the value of each variable that was set: enough to see that one says something else now. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A word of an entry, and the file that it means. */
export interface NamedFile {
  readonly word: string;
  readonly path: string;
}

export interface EntryReading {
  readonly entry: RawEntry;
  /** What was filled in, so that whoever quotes the entry can take it out again. */
  readonly filled: readonly { readonly variable: string; readonly value: string }[];
}

/** What the words of one entry mean in the folder where its server would start now. */
export interface EntryMeaning {
  toPlace(salt: string): ApprovedPlace;
  /** The entry as it runs here and as it runs where no variable is set: a default is what a word says there. */
  readonly readings: () => readonly EntryReading[];
  /** The arguments that are files here. */
  readonly files: () => readonly NamedFile[];
  /**
   * The first word that means another file here than where the choice was made; undefined: an approval holds. A file that appears in the folder
   * of the choice changes nothing: a server may make what its arguments name. A choice without a place is one that version 0.1.0 wrote:
   * it holds as long as no argument is a file. `onAbsent` hears of files that were there and are not here: when one comes, it is another.
   */
  otherFile(choice: PlacedChoice, onAbsent: (path: string) => void): NamedFile | undefined;
}

interface PlacedChoice {
  readonly place?: ApprovedPlace | undefined;
  readonly salt: string;
}

export interface EntryPlaceOptions {
  readonly written: RawEntry;
  readonly folder: string;
  readonly variables: Environment;
}

export function entryPlace({ written, folder, variables }: EntryPlaceOptions): EntryMeaning {
  const expanded = (text: string): string => expandText(text, variables).text;
  const texts = (): readonly string[] => FIELDS.flatMap((field) => textsIn(written[field]));
  const args = (): readonly string[] => textsIn(written['args']);
  const files = (): readonly NamedFile[] =>
    args().flatMap((word) => {
      const path = wholeAndValue(expanded(word))
        .map((part) => resolve(folder, part))
        .find(isFile);
      return path === undefined ? [] : [{ word, path }];
    });
  return {
    toPlace: (salt) => ({ folder, variables: marksOf(texts(), { variables, salt }) }),
    files,
    readings: () => [
      { entry: expandEntry(written, variables).entry, filled: filledIn(written, variables) },
      { entry: expandEntry(written, {}).entry, filled: [] },
    ],
    otherFile({ place, salt }, onAbsent) {
      if (!place) return files().find(({ word }) => dependsOnFolder(word, expanded(word)));
      const others = differences(marksOf(texts(), { variables, salt }), place.variables);
      if (place.folder === folder && others.size === 0) return undefined;
      const line = [written['command'], ...args()].filter((word) => typeof word === 'string');
      const argv = line.map(expanded);
      const meaningsOf = fileFinder(argv);
      const named = [
        ...texts().map((text) => ({ text, meanings: () => meaningsOf(expanded(text)) })),
        ...sourcesOf(argv).map((source) => ({ text: line[source.argument]!, meanings: () => [source] })),
        ...loadingTexts(written).map((text) => ({ text, meanings: () => wordsOf(expanded(text)).map(folderMeaning) })),
      ];
      let looks = 0;
      for (const one of named) {
        const { text } = one;
        const isOther = variablesIn(text).some((name) => others.has(name));
        const meanings = one.meanings();
        looks += meanings.length;
        if (looks > LOOKS_LIMIT) return { word: text.slice(0, 80), path: folder };
        const found = otherIn(meanings, { folder, there: isOther ? undefined : place.folder, onAbsent });
        if (found) return found;
      }
      return otherIn([...impliedFiles(argv), ...ownProgram(argv)], { folder, there: place.folder, onAbsent });
    },
  };
}

function filledIn(written: RawEntry, variables: Environment): EntryReading['filled'] {
  const names = new Set(variablesOf(written).map(({ variable }) => variable));
  return [...names].flatMap((variable) => {
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    return value === undefined ? [] : [{ variable, value }];
  });
}

const LOOKS_LIMIT = 2_000; // an entry has some ten words; one that hides a file behind thousands of them is asked about

/** Fields whose words may name files that a server, or a command for its headers, loads. The command has its path in the hash. */
const FIELDS = ['args', 'env', 'headersHelper', 'tls', 'oauth', 'sandbox'];

/** What is written for variables that say where code is loaded from: `PYTHONPATH` names folders. */
function loadingTexts({ env }: RawEntry): readonly string[] {
  const fields = isObject(env) ? Object.entries(env) : [];
  return fields.flatMap(([name, value]) =>
    typeof value === 'string' && variableRisks([name]).length > 0 ? [value] : [],
  );
}

interface Folders {
  readonly folder: string;
  /** Undefined: what the words were there is not known any more. */
  readonly there: string | undefined;
  readonly onAbsent: (path: string) => void;
}

/** The first word that leads to a file in this folder, and not to the same one from the other. */
function otherIn(meanings: readonly Meaning[], { folder, there, onAbsent }: Folders): NamedFile | undefined {
  for (const { word, findFrom } of meanings) {
    const path = findFrom(folder);
    const before = there === undefined ? undefined : findFrom(there);
    if (path !== undefined && path !== before) return { word, path };
    if (path === undefined && before !== undefined) onAbsent(resolve(folder, relative(there!, before)));
  }
  return undefined;
}

/** `server.mjs`, and the `x.mjs` of `--import=x.mjs`. */
function wholeAndValue(argument: string): readonly string[] {
  const equals = argument.indexOf('=');
  return equals === -1 ? [argument] : [argument, argument.slice(equals + 1)];
}

/** Whether the same argument may be another file elsewhere; PWD and its like say where somebody stands. */
function dependsOnFolder(written: string, expanded: string): boolean {
  if (variablesIn(written).some((name) => /^(?:OLD)?PWD$|^INIT_CWD$/u.test(name))) return true;
  return wholeAndValue(expanded).every((part) => resolve('/a', part) !== resolve('/b', part));
}

/** Variables that say something else than they did, that were not set, or are not set any more. */
function differences(
  now: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): ReadonlySet<string> {
  return new Set([...Object.keys(now), ...Object.keys(before)].filter((name) => now[name] !== before[name]));
}

function marksOf(
  texts: readonly string[],
  { variables, salt }: { readonly variables: Environment; readonly salt: string },
): Record<string, string> {
  const names = new Set(texts.flatMap(variablesIn));
  const values = [...names].flatMap((name) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined ? [] : [[name, digest(`${salt}${value}`).slice(0, MARK_LENGTH)] as const];
  });
  return Object.fromEntries(values);
}

const MARK_LENGTH = 16;

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
