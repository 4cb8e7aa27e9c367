import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { BoundedKeychain, KeychainFailure } from '../../auth/store/keychain.js';
import { systemKeychain } from '../../auth/store/keychain-process.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { HostConfig } from '../../config/load.js';
import { systemClock } from '../../edge/clock.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Finding } from './finding.js';

/** Whether sign-ins can be kept in the system's keychain. Asked only where a server is, or is to be, signed in to. */
export async function probeKeychain(
  servers: readonly ConfiguredServer[],
  { context }: HostConfig,
): Promise<readonly Finding[]> {
  const { env, platform, places } = context;
  const folder = places.state && join(places.state, 'credentials');
  const isUsed = servers.some(hasSignIn) || (folder !== undefined && hasFiles(folder));
  if (env['PLUGBOARD_KEYCHAIN'] === 'off' || folder === undefined || !isUsed) return [];
  await using keychain = new BoundedKeychain(systemKeychain({ env, platform }), systemClock);
  try {
    await keychain.read('doctor');
    return [];
  } catch (error) {
    if (!(error instanceof KeychainFailure)) throw error;
    const cause = gateLine(error.message).text;
    const message = `The system's keychain cannot be used; sign-ins are kept in ${folder}, which only you can read`;
    return [{ severity: 'info', code: 'keychain', message, cause, hint: hintFor(error.trouble) }];
  }
}

function hasSignIn({ config }: ConfiguredServer): boolean {
  return config !== undefined && 'oauth' in config && config.oauth !== undefined;
}

function hasFiles(folder: string): boolean {
  return (attempt(() => readdirSync(folder)) ?? []).some((name) => name.endsWith('.json'));
}

function hintFor(trouble: KeychainFailure['trouble']): string {
  const off = 'If files are fine for you: export PLUGBOARD_KEYCHAIN=off';
  return trouble === 'absent'
    ? `Start a Secret Service (gnome-keyring or KeePassXC) in this session. ${off}`
    : `Unlock the keychain, then run: plugboard doctor. ${off}`;
}
