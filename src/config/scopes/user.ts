import { join } from 'node:path';
import type { ConfigContext } from '../context.js';
import type { Scope } from '../scope.js';
import { readOwnFile } from '../entries/servers.js';

/** The user's servers for every project. */
export const user: Scope = {
  name: 'user',
  label: 'User config (available in all your projects)',
  read: (reader) => readOwnFile(reader, userFile(reader.context), 'user'),
};

export function userFile({ places }: ConfigContext): string | undefined {
  return places.config === undefined ? undefined : join(places.config, 'config.json');
}
