import { Secret } from '../base/secret.js';
import { digest } from '../edge/digest.js';
import type { RawEntry } from '../transports/kind.js';
import type { ServerConfig } from '../transports/kinds.js';

/** What makes a connection stale when it changes: SHA-256 of the canonical, expanded config. */
export function configHash(config: ServerConfig, hash: (text: string) => string = digest): string {
  return hash(canonicalJson(config));
}

/**
 * What an approval is bound to: every field and value as written, before expansion, and the absolute path of the
 * command. An edit changes it, a rotated secret behind a variable does not.
 */
export function entryHash(raw: RawEntry, commandPath: string | undefined): string {
  return digest(`${canonicalJson(raw)}\n${commandPath ?? ''}`);
}

/** JSON with sorted keys and no blanks: equal values give equal texts, however they were written. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(value.reveal());
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const fields = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(fields).toSorted()) {
    if (fields[key] === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(fields[key])}`;
  }
  return `{${text}}`;
}
