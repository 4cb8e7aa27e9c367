import { join } from 'node:path';
import { isDangling } from '../../edge/files/folders.js';
import type { DocumentReading } from '../document.js';
import type { Scope, ScopeReader } from '../scope.js';
import { NO_SERVERS, readServers } from '../entries/servers.js';

export const LOCKED = 'enterprise MCP configuration is active and has exclusive control over MCP servers';

export interface EnterpriseLock {
  readonly file: string;
  readonly reading: Exclude<DocumentReading, { kind: 'absent' }>;
}

/** The administrator's servers: while the file exists, even broken, no other scope is loaded. */
export const enterprise: Scope = {
  name: 'enterprise',
  label: 'Enterprise config (managed by your organization)',
  async read(reader) {
    const lock = await findLock(reader);
    if (!lock) return NO_SERVERS;
    if (lock.reading.kind === 'broken') {
      const { problem } = lock.reading;
      const message = `${problem.message}; no server may run until the file is fixed`;
      return { sources: [], problems: [{ ...problem, message, hint: 'Ask your administrator to fix it' }] };
    }
    return readServers(lock.reading, { scope: 'enterprise', author: 'administrator' });
  },
};

/** The file in the first managed folder that has it; Plugboard's own folder comes before another host's. */
export async function findLock(reader: Pick<ScopeReader, 'context' | 'read'>): Promise<EnterpriseLock | undefined> {
  for (const folder of reader.context.places.managed) {
    const file = join(folder, 'managed-mcp.json');
    const reading = await readManaged(file, reader);
    if (reading.kind !== 'absent') return { file, reading };
  }
  return undefined;
}

/** Treats a dangling link, such as into an unmounted share, as an unreadable file, not as an absent one. */
export async function readManaged(file: string, reader: Pick<ScopeReader, 'read'>): Promise<DocumentReading> {
  const reading = await reader.read(file);
  if (reading.kind !== 'absent' || !isDangling(file)) return reading;
  const message = 'is a broken symbolic link';
  return {
    kind: 'broken',
    problem: { severity: 'error', code: 'unreadable', file, message, hint: 'Ask your administrator to fix it' },
  };
}
