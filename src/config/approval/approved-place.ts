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

/** Where a decision was made: its folder and the variables there tell what the entry's words meant. */
export interface ApprovedPlace {
  /** The folder that the server would have started in. */
  readonly folder: string;
  /** A salted mark of the value of each variable that was set, enough to notice a change. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A word of an entry, and the file that it names. */
export interface NamedFile {
  readonly word: string;
  readonly path: string;
}

export interface EntryReading {
  readonly entry: RawEntry;
  /** The values that were expanded, so that they can be replaced again where the entry is quoted. */
  readonly filled: readonly { readonly variable: string; readonly value: string }[];
}

/** What the words of one entry mean in the folder where its server would start now. */
export interface EntryMeaning {
  toPlace(salt: string): ApprovedPlace;
  /** The entry expanded with this environment, and with no variable set, which shows every default. */
  readonly readings: () => readonly EntryReading[];
  /** The arguments that are files here. */
  readonly files: () => readonly NamedFile[];
  /**
   * The first word that names another file here than where the decision was made; undefined: the approval holds. A file
   * that appears later in the folder of the decision changes nothing: a server may create it. A decision without a
   * place (version 0.1.0) holds while no argument is a file that depends on the folder. `onAbsent` gets files that
   * exist there but not here: one that appears is another file.
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

const LOOKS_LIMIT = 2_000; // an entry has some ten words; one that hides a file behind thousands needs a new approval

/** Fields that may name files which a server or `headersHelper` loads. The path of `command` is in the hash. */
const FIELDS = ['args', 'env', 'headersHelper', 'tls', 'oauth', 'sandbox'];

/** The values of `env` variables that say where code is loaded from, such as `PYTHONPATH`. */
function loadingTexts({ env }: RawEntry): readonly string[] {
  const fields = isObject(env) ? Object.entries(env) : [];
  return fields.flatMap(([name, value]) =>
    typeof value === 'string' && variableRisks([name]).length > 0 ? [value] : [],
  );
}

interface Folders {
  readonly folder: string;
  /** The folder of the decision; undefined when a variable in the word has changed, so its old meaning is unknown. */
  readonly there: string | undefined;
  readonly onAbsent: (path: string) => void;
}

/** The first word that leads to a file from this folder, but not to the same file from the folder of the decision. */
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

/** Whether the argument may be another file in another folder; `PWD` and its like name the current folder. */
function dependsOnFolder(written: string, expanded: string): boolean {
  if (variablesIn(written).some((name) => /^(?:OLD)?PWD$|^INIT_CWD$/u.test(name))) return true;
  return wholeAndValue(expanded).every((part) => resolve('/a', part) !== resolve('/b', part));
}

/** Variables whose value has changed, or that were set or unset since. */
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
