import type { JsonObject } from '../base/json.js';
import { type Caller, groupOf } from '../model/caller.js';
import { quietness } from './log-level.js';
import { shielded } from './shielded.js';

export interface LogWay {
  readonly server: string;
  /** Whom the message may belong to, the likeliest last. */
  readonly callers: Iterable<Caller>;
  /** The levels that calls have named, by caller. */
  readonly levels: WeakMap<Caller, string> | undefined;
}

/** Passes a server's `notifications/message` to the likeliest caller that wants it and has `onLog`. */
export function logTo({ server, callers, levels }: LogWay, { level: said, logger, data }: JsonObject): void {
  const level = typeof said === 'string' ? said : 'info';
  let found: Caller | undefined;
  for (const caller of callers) if (caller.onLog && isWanted(caller, level, levels)) found = caller;
  if (!found) return;
  const about = { level, ...(typeof logger === 'string' && { logger }) };
  shielded(() => found.onLog?.({ server, ...about, data }));
}

/** A caller with a lane, such as a client of a gateway, must get no message that it has not asked for. */
function isWanted(caller: Caller, level: string, levels: WeakMap<Caller, string> | undefined): boolean {
  const group = groupOf(caller);
  if (caller.lane === undefined && group.lane === undefined) return true;
  const lowest = levels?.get(caller) ?? caller.logLevel ?? group.logLevel;
  return lowest !== undefined && quietness(level) >= quietness(lowest);
}
