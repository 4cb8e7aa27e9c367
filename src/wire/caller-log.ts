import type { JsonObject } from '../base/json.js';
import { type Caller, groupOf } from '../model/caller.js';
import { redactValue } from '../model/redaction/redact-value.js';
import { quietness } from './log-level.js';
import { shielded } from './shielded.js';

export interface LogWay {
  readonly server: string;
  /** Whom the message belongs to, as far as that is known. */
  readonly owner: Caller;
  /** Whom it may belong to as well, oldest first. */
  readonly others: Iterable<Caller>;
  /** The levels that calls have named, by caller. */
  readonly levels: WeakMap<Caller, string> | undefined;
  /** Removes the server's secrets from a text. */
  readonly redact: (text: string) => string;
}

/** Passes a server's `notifications/message` to its owner, or to the newest of the others that wants it. */
export function logTo(
  { server, owner, others, levels, redact }: LogWay,
  { level: said, logger, data }: JsonObject,
): void {
  const level = typeof said === 'string' ? said : 'info';
  const hears = (caller: Caller): boolean => caller.onLog !== undefined && isWanted(caller, level, levels);
  const found = hears(owner) ? owner : newestOf(others, hears);
  if (!found) return;
  const about = { level, ...(typeof logger === 'string' && { logger: redact(logger) }) };
  shielded(() => found.onLog?.({ server, ...about, data: redactValue(data, redact) }));
}

function newestOf(callers: Iterable<Caller>, hears: (caller: Caller) => boolean): Caller | undefined {
  let found: Caller | undefined;
  let looked = 0;
  for (const caller of callers) {
    if (hears(caller)) found = caller;
    if (++looked === LOOK_LIMIT) break;
  }
  return found;
}

const LOOK_LIMIT = 100; // a server may log a hundred thousand times while a thousand calls are in flight

/** A caller with a lane, such as a client of a gateway, must get no message that it has not asked for. */
function isWanted(caller: Caller, level: string, levels: WeakMap<Caller, string> | undefined): boolean {
  const group = groupOf(caller);
  if (caller.lane === undefined && group.lane === undefined) return true;
  const lowest = levels?.get(caller) ?? caller.logLevel ?? group.logLevel;
  return lowest !== undefined && quietness(level) >= quietness(lowest);
}
