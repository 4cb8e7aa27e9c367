import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { readBounded } from '../../edge/files/read-file.js';
import { updateFile } from '../../edge/files/write-file.js';
import type { ConfigContext } from '../context.js';
import { parseDecisions, TRUST_LIMIT, type TrustDecision, trustFile } from './folder-trust.js';
import { parseWhole } from '../entries/parse-whole.js';

/** Remembers the decision about a folder. Returns the file. */
export async function rememberTrust(
  context: ConfigContext,
  { folder, decision, at }: TrustDecision,
): Promise<{ readonly file: string }> {
  return change(context, (folders) => new Map([...folders, [folder, { decision, at }]]));
}

/** Forgets the decision about a folder. `isForgotten` is false when there was none. */
export async function forgetTrust(
  context: ConfigContext,
  folder: string,
): Promise<{ readonly file: string; readonly isForgotten: boolean }> {
  let isForgotten = false;
  const { file } = await change(context, (folders) => {
    isForgotten = folders.has(folder);
    if (!isForgotten) return undefined;
    return new Map([...folders].filter(([known]) => known !== folder));
  });
  return { file, isForgotten };
}

/** Every decision about a folder. Throws when the file cannot be read. */
export function listTrust(context: ConfigContext): readonly TrustDecision[] {
  const file = trustFile(context);
  const read = file === undefined ? undefined : readBounded(file, { limit: TRUST_LIMIT });
  if (read?.kind === 'refused') throw read.error;
  return read?.kind === 'text' ? parseDecisions(parseWhole(read.text, file!)) : [];
}

/** The real path of a folder. Throws `usage` when there is no such folder. */
export function toFolder(path: string, cwd: string): string {
  const full = resolve(cwd, path);
  try {
    const real = realpathSync.native(full);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // reported below
  }
  throw new HostError('usage', `${full} is not a folder`, { hint: 'Name a folder that exists' });
}

type Folders = ReadonlyMap<string, unknown>;

async function change(
  context: ConfigContext,
  edit: (folders: Folders) => Folders | undefined,
): Promise<{ readonly file: string }> {
  const file = trustFile(context);
  if (file === undefined) {
    throw new HostError('write-failed', 'Trust in a folder cannot be saved: there is no home folder', {
      hint: 'Set HOME or XDG_STATE_HOME, or use --trust-folder for one run',
    });
  }
  await updateFile(
    file,
    (text) => {
      const whole = text === undefined ? {} : parseWhole(text, file);
      const before = isObject(whole['folders']) ? Object.entries(whole['folders']) : [];
      const after = edit(new Map(before));
      if (!after) return undefined;
      return `${JSON.stringify({ ...whole, version: 1, folders: Object.fromEntries(after) }, null, 2)}\n`;
    },
    { limit: TRUST_LIMIT },
  );
  return { file };
}
