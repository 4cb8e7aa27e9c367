import type { StoredConversation, StoredItem } from '../journal.js';

/** A session as its file gives it back. */
export interface RestoredSession extends StoredConversation {
  /** A UUID. */
  readonly id: string;
  /** The folder that it was held in. */
  readonly cwd: string;
  /** When it began: ISO 8601. */
  readonly created: string;
  /** The beginning of its first prompt, gated; undefined before that. */
  readonly title: string | undefined;
  /** The name of the model that answered last. */
  readonly model: string | undefined;
  /** The session that this one began as a copy of. */
  readonly forkedFrom: string | undefined;
}

/** The session up to this message, with the results of its calls; undefined without such a message. */
export function cutAt(
  session: RestoredSession,
  uuid: string,
  toldUntil: object | undefined,
): RestoredSession | undefined {
  const { items } = session;
  const at = items.findIndex(({ id }) => id === uuid);
  if (at === -1) return undefined;
  const end = items[at + 1]?.kind === 'results' ? at + 1 : at;
  const isWhole = end === items.length - 1;
  const kept: readonly StoredItem[] = items.slice(0, end + 1);
  // What the model was told later it does not know; where that is uncertain it is told once more.
  return { ...session, items: kept, told: isWhole ? session.told : toldUntil };
}
