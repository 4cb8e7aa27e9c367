import type { JsonObject } from '../base/json.js';
import type { Ownership } from './owners.js';
import { shielded } from './shielded.js';

/** Hands a `notifications/message` of a server to the caller that it belongs to, where that is known and wants to hear of it. */
export function logTo(ownership: Ownership, server: string, { level, logger, data }: JsonObject): void {
  const caller = ownership.kind === 'owned' ? ownership.owner : undefined;
  if (!caller?.onLog) return;
  const about = { level: typeof level === 'string' ? level : 'info', ...(typeof logger === 'string' && { logger }) };
  shielded(() => caller.onLog?.({ server, ...about, data }));
}
