import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { placeOf } from '../auth/store/record-place.js';
import { accountName } from '../config/accounts.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';

/** Where the tokens of a sign-in are stored, in a sentence; undefined when there are none. */
export function keptWhere({ context }: HostConfig, { name, config }: ConfiguredServer): string | undefined {
  const { state } = context.places;
  if (state === undefined || !config || !('oauth' in config || 'url' in config)) return undefined;
  const folder = join(state, 'credentials');
  const clientId = 'oauth' in config ? config.oauth?.clientId : undefined;
  const place = placeOf({ server: config.url, account: accountName(name), clientId }, folder);
  if (existsSync(join(folder, place.file))) return `Signed in. The tokens are in ${folder}, readable by you alone`;
  return existsSync(join(folder, place.marker))
    ? 'Signed in. The tokens are in the keychain of this machine'
    : undefined;
}
