import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded } from '../../edge/files/read-file.js';
import type { RecordKey } from './credential-store.js';
import { parseRecord } from './record-json.js';
import { placeOf } from './record-place.js';

/** A stored sign-in: whose entry made it, if known, and its name for messages. Asks no keychain. Never throws. */
export function keptSignIn(
  folder: string,
  key: RecordKey,
): { readonly by?: string | undefined; readonly shown: string } | undefined {
  const { file, marker, shown } = placeOf(key, folder);
  const read = readBounded(join(folder, file));
  const parsed = read.kind === 'text' ? parseRecord(read.text) : undefined;
  if (parsed?.kind === 'record' && parsed.record.tokens) return { by: parsed.record.by, shown };
  // The keychain is not read for this, because it may ask for a password.
  return existsSync(join(folder, marker)) ? { shown } : undefined;
}
