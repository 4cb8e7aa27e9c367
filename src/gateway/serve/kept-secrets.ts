import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { readBounded } from '../../edge/files/read-file.js';
import { updateFile } from '../../edge/files/write-file.js';

/** The key that clients of this user's gateway send, and its file. */
export interface KeptKey {
  readonly key: string;
  readonly file: string;
}

/** The bearer key of this user's gateway: made once, in a file that only its owner can read. Rejects with a HostError. */
export async function keptKey(folder: string): Promise<KeptKey> {
  const file = join(folder, 'gateway-key');
  return { key: await kept(file, () => `plugboard_${randomBytes(32).toString('base64url')}`), file };
}

/**
 * The secret of this user's gateway, from which the keys of sessions and cursors are made: kept, so that these hold after
 * a restart. Rejects with a HostError.
 */
export async function keptSecret(folder: string): Promise<Uint8Array> {
  return Buffer.from(await kept(join(folder, 'gateway-secret'), () => randomBytes(32).toString('base64url')));
}

/** One secret of a file, or two while the first replaces the second: a line each. Throws a HostError. */
export function readSecretFile(file: string): readonly Uint8Array[] {
  const found = readBounded(file, { limit: FILE_LIMIT });
  if (found.kind === 'refused') throw found.error;
  if (found.kind !== 'text') throw new HostError('usage', `There is no file ${file}`, { hint: HOW });
  refuseShared(file);
  const lines = found.text.split(/\r?\n/u).map((line) => line.trim());
  const secrets = lines.filter((line) => line !== '').map((line) => Buffer.from(line));
  if (secrets.length > 0 && secrets.length <= 2 && secrets.every(({ length }) => length >= SECRET_BYTES))
    return secrets;
  throw new HostError('usage', `${file} has to have one secret, or two, of at least ${SECRET_BYTES} characters`, {
    hint: HOW,
  });
}

async function kept(file: string, make: () => string): Promise<string> {
  let text = '';
  await updateFile(file, (before) => {
    text = before?.trim() ?? '';
    if (text.length >= SECRET_BYTES) return undefined;
    text = make();
    return `${text}\n`;
  });
  refuseShared(file);
  return text;
}

/** A secret that others can read is none any more. */
function refuseShared(file: string): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  throw new HostError('usage', `Other users may read ${file}, which has a secret of yours`, {
    hint: `Delete it and begin anew, or run: chmod 600 ${file}`,
  });
}

const SECRET_BYTES = 32;
const FILE_LIMIT = 10_000; // bytes
const HOW = 'Make one with: (umask 077; openssl rand -base64 48 > FILE)';
