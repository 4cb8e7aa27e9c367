import { join } from 'node:path';
import { sha256Hex } from '../../model/text/sha256.js';
import type { ConfigContext } from '../context.js';
import type { Scope } from '../scope.js';
import { readOwnFile } from '../entries/servers.js';

/** The user's servers for this project alone, stored outside of it. */
export const local: Scope = {
  name: 'local',
  label: 'Local config (private to you in this project)',
  read: (reader) => readOwnFile(reader, localFile(reader.context), 'local'),
};

export function localFile({ places, projectRoot }: ConfigContext): string | undefined {
  if (places.config === undefined) return undefined;
  return join(places.config, 'projects', `${sha256Hex(projectRoot).slice(0, 32)}.json`);
}
