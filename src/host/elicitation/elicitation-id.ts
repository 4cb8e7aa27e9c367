import { gateLine } from '../../model/text/text-gate.js';

/** By which a server says later that a visit is over; undefined where that is no name for anything. */
export function toElicitationId(id: unknown): string | undefined {
  return typeof id === 'string' && id !== '' ? gateLine(id, { limit: ID_LIMIT }).text : undefined;
}

const ID_LIMIT = 200;
