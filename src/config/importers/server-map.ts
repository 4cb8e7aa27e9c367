import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { JsonPath } from '../document.js';
import { entriesIn, ownAt } from '../entries/servers.js';
import type { ForeignEntry, ForeignFile, ImportProblem } from './importer.js';
import { quote } from './mapping.js';

/** The servers below one key, by name: the format of nearly every host. */
export function serversBelow(value: RawEntry, path: readonly string[]): ForeignFile {
  const servers = ownAt(value, path);
  if (servers === undefined) return { entries: [], remarks: [] };
  if (!isObject(servers)) return { entries: [], remarks: [wrongShape(servers, path)] };
  return { entries: entriesIn(servers, path), remarks: [] };
}

/** The strings in a list; other values are dropped. */
export function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** Removes servers that only the other host can run. `why` returns the reason, or undefined to keep the server. */
export function skip(file: ForeignFile, why: (raw: RawEntry) => string | undefined): ForeignFile {
  const entries: ForeignEntry[] = [];
  const remarks: ImportProblem[] = [...file.remarks];
  for (const entry of file.entries) {
    const reason = isObject(entry.raw) ? why(entry.raw) : undefined;
    if (reason === undefined) entries.push(entry);
    else remarks.push(notCarriedOver(entry.path, `server ${quote(entry.name)} is skipped: ${reason}`));
  }
  return { entries, remarks };
}

export function notCarriedOver(
  path: JsonPath,
  message: string,
  hint = 'You need not do anything: the other host keeps it',
): ImportProblem {
  return { severity: 'warning', path, message, hint };
}

function wrongShape(servers: unknown, path: readonly string[]): ImportProblem {
  const got = servers === null ? 'null' : Array.isArray(servers) ? 'an array' : `a ${typeof servers}`;
  const message = `expected an object of servers, got ${got}`;
  return { severity: 'error', path, message, hint: `Correct "${path.join('.')}", or leave this file out` };
}
