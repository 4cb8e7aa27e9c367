import { gateLine } from '../../model/text/text-gate.js';

/** The id by which a server later reports that a visit is complete; undefined where it is no usable id. */
export function toElicitationId(id: unknown): string | undefined {
  return typeof id === 'string' && id !== '' ? gateLine(id, { limit: ID_LIMIT }).text : undefined;
}

const ID_LIMIT = 200;
