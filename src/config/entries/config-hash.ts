import { digest } from '../../edge/files/digest.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ServerConfig } from '../../transports/kinds.js';

/** What makes a connection stale when it changes: SHA-256 of the canonical, expanded config. */
export function configHash(config: ServerConfig, hash: (text: string) => string = digest): string {
  return hash(canonicalJson(config));
}

/** What the user said about an entry is remembered under this: every field and value as written, so that only an edit changes it. */
export function writtenHash(raw: RawEntry): string {
  return digest(canonicalJson(raw));
}

/**
 * What an approval is bound to: every field and value as written, before expansion, and the absolute path of the
 * command. An edit changes it, a rotated secret behind a variable does not.
 */
export function entryHash(raw: RawEntry, commandPath: string | undefined): string {
  return digest(`${canonicalJson(raw)}\n${commandPath ?? ''}`);
}
