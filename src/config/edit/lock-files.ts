import { dirname, isAbsolute, join } from 'node:path';
import { unreachable } from '../../base/never.js';
import { shellWord } from '../../base/shell-word.js';
import { digest } from '../../edge/files/digest.js';
import { isDangling } from '../../edge/files/folders.js';
import { whyUntrusted } from '../../edge/files/ownership.js';
import { isFault, type LockFault, parseLock } from '../../model/pins/lock.js';
import { PIN_START } from '../../model/pins/pinned-text.js';
import { groupByKeys } from '../../model/grouped.js';
import type { ServerLock, ServerLocks } from '../../model/pins/server-lock.js';
import type { ConfigContext } from '../context.js';
import type { DocumentReading } from '../document.js';
import { writtenHash } from '../entries/config-hash.js';
import { type Problem, toFieldPath } from '../problem.js';
import { placeFields } from '../text-place.js';
import type { ScopeReader } from '../scope.js';
import { projectFilesIn } from '../scopes/project.js';
import { userFile } from '../scopes/user.js';
import type { ConfiguredServer } from '../entries/server.js';

const LOCK_NAME = 'mcp.lock';
export const LOCK_LIMIT = 16_777_216; // bytes: more than 100,000 pins

/**
 * The lock beside the file that defines a server; beside the user's settings for linked files and connectors, which
 * those settings refer to. Undefined for servers from the command line.
 */
export function lockFileOf(
  { scope, origin }: Pick<ConfiguredServer, 'scope' | 'origin'>,
  context: ConfigContext,
): string | undefined {
  if (scope === 'linked' || scope === 'connectors') {
    const settings = userFile(context);
    return settings === undefined ? undefined : join(dirname(settings), LOCK_NAME);
  }
  if (!isAbsolute(origin)) return undefined;
  // The local files of all projects are in one folder, and two projects may have servers of the same name.
  return scope === 'local' ? origin.replace(/\.json$/u, `.${LOCK_NAME}`) : join(dirname(origin), LOCK_NAME);
}

/** The locks of all servers that may run. Never throws: a broken lock is a problem, and its servers may not be used. */
export async function loadLocks(
  reader: Pick<ScopeReader, 'context' | 'read'>,
  servers: readonly ConfiguredServer[],
): Promise<{ readonly locks: ServerLocks; readonly problems: readonly Problem[] }> {
  const locks = new Map<string, ServerLock>();
  const problems: Problem[] = [];
  const ready = servers.filter(({ standing }) => standing.kind === 'ready');
  const files = groupByKeys(ready, (server) =>
    [lockFileOf(server, reader.context)].filter((file) => file !== undefined),
  );
  for (const [file, defined] of files) {
    const isBrought = defined.some(({ author }) => author === 'repository');
    const found = await readLock(file, { reader, isBrought });
    if (!found) continue;
    problems.push(...found.problems);
    for (const server of defined) {
      const lock = found.lockOf(server);
      if (lock) locks.set(server.name, lock);
    }
  }
  return { locks, problems };
}

/** The hash by which a lock pins an entry. */
export function entryPin({ written }: Pick<ConfiguredServer, 'written'>): string | undefined {
  return written && `${PIN_START}${writtenHash(written)}`;
}

interface LockReading {
  readonly problems: readonly Problem[];
  readonly lockOf: (server: ConfiguredServer) => ServerLock | undefined;
}

interface LockPlace {
  readonly reader: Pick<ScopeReader, 'context' | 'read'>;
  /** The lock is in a repository, beside its servers. */
  readonly isBrought: boolean;
}

async function readLock(file: string, { reader, isBrought }: LockPlace): Promise<LockReading | undefined> {
  const reading = await reader.read(file, { limit: LOCK_LIMIT });
  const isHere = projectFilesIn(reader.context.cwd).some((known) => dirname(known) === dirname(file));
  const broken = brokenReading(file, reading, isBrought && !isHere);
  if (broken) return closed(broken);
  if (reading.kind !== 'document') return undefined;
  const { value, text, placeOf } = reading.document;
  const lock = parseLock(value);
  const stamp = digest(text);
  const toProblem = async ({ fault, path }: LockFault): Promise<Problem> => {
    const place = await placeOf(path);
    const field = toFieldPath(path);
    return { ...problemOf(file, fault), ...placeFields(place), ...(field !== '' && { field }) };
  };
  if (isFault(lock)) return closed(await toProblem(lock));
  const faults = [...lock.servers].flatMap(([name, server]) => (isFault(server) ? [{ name, fault: server }] : []));
  const problems = await Promise.all(
    faults.map(async ({ name, fault }) => ({ ...(await toProblem(fault)), server: name })),
  );
  return {
    problems,
    lockOf(server) {
      const found = lock.servers.get(server.name);
      if (!found) return undefined;
      if (isFault(found)) return { kind: 'broken', file, reason: describe(file, found.fault), stamp };
      return { kind: 'pinned', file, pins: found, stamp, entry: found.entry && entryPin(server) };
    },
  };
}

/** Why an existing lock cannot be used; undefined when it can, or when there is none. */
function brokenReading(file: string, reading: DocumentReading, isAnyones: boolean): Problem | undefined {
  switch (reading.kind) {
    case 'absent':
      return isDangling(file) ? problemOf(file, 'is a broken symbolic link') : undefined;
    case 'broken':
      return { ...reading.problem, hint: lockHint(file) };
    case 'document': {
      // A duplicate key would show a reviewer one pin and the program another.
      const [twice] = reading.problems;
      if (twice) return { ...twice, severity: 'error', code: 'malformed', hint: lockHint(file) };
      // As for the servers beside it: the user knows the working directory, but folders above may belong to anyone.
      const distrust = isAnyones ? whyUntrusted(file) : undefined;
      return distrust === undefined ? undefined : problemOf(file, `is not trusted: ${distrust}`);
    }
    default:
      return unreachable(reading);
  }
}

function closed(problem: Problem): LockReading {
  const reason = describe(problem.file, problem.message);
  return {
    problems: [problem],
    lockOf: () => ({ kind: 'broken', file: problem.file, reason, stamp: reason }),
  };
}

function problemOf(file: string, message: string): Problem {
  return { severity: 'error', code: 'malformed', file, message, hint: lockHint(file) };
}

/** What to do about a broken lock. */
export function lockHint(file: string): string {
  return `Fix this file: until then, nothing that it pins can be used. To pin again: rm ${shellWord(file)}, then plugboard approve --lock`;
}

function describe(file: string, message: string): string {
  return message.includes(file) ? message : `${file} ${message}`;
}
