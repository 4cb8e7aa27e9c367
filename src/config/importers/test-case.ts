import { expect } from 'vitest';
import { parseEntry } from '../../transports/kinds.js';
import { parseDocument } from '../document.js';
import { findImporter, type ImportedEntry, type ImportReading, readImportFile } from '../edit/import.js';
import type { ImportWhere } from './importer.js';

/** One file of another host, and the expected result. */
export interface Case {
  readonly host: string;
  readonly text: string;
  readonly level?: 'user' | 'project';
  /** The exact entries, by name. */
  readonly entries: Readonly<Record<string, unknown>>;
  /** What each sentence mentions, in order and complete. */
  readonly lost?: Readonly<Record<string, readonly string[]>>;
  /** What each note mentions, in order and complete. */
  readonly notes?: Readonly<Record<string, readonly string[]>>;
  readonly kept?: Readonly<Record<string, readonly string[]>>;
  readonly scopes?: Readonly<Record<string, string>>;
  readonly problems?: readonly string[];
}

export const where: ImportWhere = {
  home: '/home/user',
  env: {},
  platform: 'linux',
  cwd: '/home/user/code/app/web',
  projectRoot: '/home/user/code/app',
};

/** Reads a text as a file of the host, without a disk. */
export async function readImportText(
  host: string,
  text: string,
  level: 'user' | 'project' = 'user',
): Promise<ImportReading> {
  const reading = await readImportFile(
    findImporter(host)!,
    { path: '/the/file', level },
    {
      where,
      reader: {
        read: (file) => parseDocument(text, file),
        readText: (path) => ({ kind: 'text', text, path, uid: 0, mode: 0o600, mtimeMs: 0 }),
      },
    },
  );
  return reading!;
}

/** The result of reading a file, in the form of `toOutcome`. */
export async function readCase({ host, text, level, scopes }: Case): Promise<object> {
  const { entries, problems } = (await readImportText(host, text, level)).source;
  const byName = (value: (entry: ImportedEntry) => unknown): object =>
    Object.fromEntries(entries.map((entry) => [entry.name, value(entry)]));
  const filled = (field: 'lost' | 'notes' | 'kept'): object =>
    Object.fromEntries(entries.filter((entry) => entry[field].length > 0).map((entry) => [entry.name, entry[field]]));
  return {
    entries: byName(({ entry }) => entry),
    unsound: entries.filter(({ entry }) => parseEntry(entry).issues.some(({ severity }) => severity === 'error')),
    lost: filled('lost'),
    notes: filled('notes'),
    kept: filled('kept'),
    scopes: scopes ? byName(({ scope }) => scope) : {},
    problems: problems.map(({ message }) => message),
  };
}

/** The expected result: every entry as given, and valid. */
export function toOutcome({ entries, lost = {}, notes = {}, kept = {}, scopes = {}, problems = [] }: Case): object {
  return {
    entries,
    unsound: [],
    lost: mentions(lost),
    notes: mentions(notes),
    kept,
    scopes,
    problems: mention(problems),
  };
}

const mentions = (told: Readonly<Record<string, readonly string[]>>): object =>
  Object.fromEntries(Object.entries(told).map(([name, words]) => [name, mention(words)]));

const mention = (words: readonly string[]): unknown[] => words.map((word): unknown => expect.stringContaining(word));
