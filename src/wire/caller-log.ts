import type { JsonObject } from '../base/json.js';
import type { Ownership } from './owners.js';
import { shielded } from './shielded.js';

/** Passes a server's `notifications/message` to the caller it belongs to, if that is known and has `onLog`. */
export function logTo(ownership: Ownership, server: string, { level, logger, data }: JsonObject): void {
  const caller = ownership.kind === 'owned' ? ownership.owner : undefined;
  if (!caller?.onLog) return;
  const about = { level: typeof level === 'string' ? level : 'info', ...(typeof logger === 'string' && { logger }) };
  shielded(() => caller.onLog?.({ server, ...about, data }));
}
