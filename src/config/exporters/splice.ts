import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import type { RawEntry } from '../../transports/kind.js';
import { addToText, getFromText, setInText } from '../edit/edit-text.js';
import { openForeignParser } from '../importers/foreign-document.js';
import type { ForeignFormat } from '../importers/importer.js';

/** The entries to write into another host's file. */
export interface Splice {
  /** The keys that lead to the servers. */
  readonly path: readonly string[];
  readonly added: readonly SplicedServer[];
  /** Of names that the file has already. */
  readonly replaced: readonly SplicedServer[];
}

export type SplicedServer = readonly [name: string, entry: RawEntry];

/** Reads and changes texts of one format. Contract: all but the entries stays byte for byte, or `write` throws. */
export interface ForeignText {
  readonly parse: (text: string) => RawEntry;
  readonly write: (text: string, splice: Splice) => string;
}

export async function openForeignText(format: ForeignFormat): Promise<ForeignText> {
  if (format === 'json') return { parse: (text) => getFromText(text, []) as RawEntry, write: spliceJson };
  const parseText = await openForeignParser(format);
  const parse = (text: string): RawEntry => {
    const parsed = parseText(text);
    if ('value' in parsed) return parsed.value;
    throw new HostError('config-invalid', parsed.message);
  };
  const change =
    format === 'toml'
      ? await (await import('./splice-toml.js')).openTomlSplice()
      : await (await import('./splice-yaml.js')).openYamlSplice();
  return {
    parse,
    write(text, splice) {
      const after = change(text, splice);
      const read = after === undefined ? undefined : parseText(after);
      const expected = canonicalJson(withServers(parse(text), splice));
      // A wrong splice must never reach the disk.
      if (after !== undefined && read && 'value' in read && canonicalJson(read.value) === expected) return after;
      throw notPossible(splice);
    },
  };
}

function spliceJson(text: string, { path, added, replaced }: Splice): string {
  const edited = replaced.reduce((whole, [name, entry]) => setInText(whole, [...path, name], entry), text);
  return addToText(edited, path, added);
}

function withServers(file: RawEntry, { path: [key = '', ...rest], added, replaced }: Splice): RawEntry {
  const before = Object.hasOwn(file, key) && isObject(file[key]) ? file[key] : {};
  const servers =
    rest.length === 0
      ? Object.fromEntries([...Object.entries(before), ...added, ...replaced])
      : withServers(before, { path: rest, added, replaced });
  return Object.fromEntries([...Object.entries(file), [key, servers]]);
}

function notPossible({ path, added, replaced }: Splice): HostError {
  const names = [...added, ...replaced].map(([name]) => JSON.stringify(name.slice(0, 40)));
  const message = `Plugboard cannot write ${names.slice(0, 5).join(', ')} below ${JSON.stringify(path.join('.'))} without changing the rest of the file, because of the way the file is written`;
  return new HostError('config-invalid', message, {
    hint: 'Nothing was changed. Print the entries with --out - and put them there by hand',
  });
}
