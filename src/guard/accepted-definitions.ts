import { join } from 'node:path';
import { isObject } from '../base/json.js';
import { readCacheFile, writeCacheFile } from '../edge/files/cache-file.js';
import { digest, digestMany } from '../edge/files/digest.js';
import { canonicalJson } from '../model/text/canonical-json.js';
import { type PinnedDefinition, toPin } from '../model/pins/pinned-text.js';

export type Definitions = ReadonlyMap<string, PinnedDefinition>;

/**
 * Definitions accepted for servers of this name, by pin: mcp.lock has only hashes, and a diff needs both texts. Empty
 * when none were accepted on this machine. Never throws; leaves out definitions that do not match their pin.
 */
export function readAccepted(state: string | undefined, server: string): Definitions {
  const found = state === undefined ? undefined : readCacheFile(fileOf(state, server), readAll);
  const kept = new Map<string, PinnedDefinition>();
  for (const [pin, definition] of Object.entries(found ?? {})) {
    if (isDefinition(definition) && toPin(definition, digestMany) === pin) kept.set(pin, definition);
  }
  return kept;
}

/** Adds accepted definitions, newest first, up to `FILE_LIMIT`. Never rejects: they only serve diffs. */
export async function keepAccepted(state: string | undefined, server: string, accepted: Definitions): Promise<void> {
  if (state === undefined || accepted.size === 0) return;
  const all = new Map([...accepted, ...readAccepted(state, server)]);
  const lines: string[] = [];
  let room = FILE_LIMIT;
  for (const [pin, definition] of all) {
    const line = `${JSON.stringify(pin)}:${canonicalJson(definition)}`;
    room -= Buffer.byteLength(line) + 2;
    if (room < 0) break;
    lines.push(line);
  }
  try {
    await writeCacheFile(fileOf(state, server), [`{${lines.join(',\n')}}\n`]);
  } catch {
    // The pins are in mcp.lock; a later diff shows only the new side.
  }
}

/** One file for all servers of a name, wherever defined: another clone of a project sees what this one accepted. */
function fileOf(state: string, server: string): string {
  return join(state, FOLDER, `${digest(server).slice(0, 32)}.json`);
}

const FOLDER = 'pins';
const FILE_LIMIT = 33_554_432; // 10,000 tools of 3 kB

function readAll(file: { readonly size: number; read(position: number, length: number): Buffer }): object | undefined {
  if (file.size > FILE_LIMIT + 2) return undefined;
  const value: unknown = JSON.parse(file.read(0, file.size).toString('utf8'));
  return isObject(value) ? value : undefined;
}

function isDefinition(value: unknown): value is PinnedDefinition {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  return isObject(value['tool']) || isObject(value['prompt']) || typeof value['instructions'] === 'string';
}
