import { hash } from 'node:crypto';
import { Secret } from '../base/secret.js';
import type { RawEntry } from '../transports/kind.js';
import type { ServerConfig } from '../transports/kinds.js';

/** What makes a connection stale when it changes: SHA-256 of the canonical, expanded config. */
export function configHash(config: ServerConfig): string {
  return hash('sha256', canonicalJson(config));
}

/**
 * What an approval is bound to: every field and value as written, before expansion, and the absolute path of the
 * command. An edit changes it, a rotated secret behind a variable does not.
 */
export function entryHash(raw: RawEntry, commandPath: string | undefined): string {
  return hash('sha256', `${canonicalJson(raw)}\n${commandPath ?? ''}`);
}

/** JSON with sorted keys and no blanks: equal values give equal texts, however they were written. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(value.reveal());
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
}
