import { digest } from '../../edge/files/digest.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ServerConfig } from '../../transports/kinds.js';

/** The SHA-256 of the canonical, expanded config: a connection is stale when it changes. */
export function configHash(config: ServerConfig, hash: (text: string) => string = digest): string {
  return hash(canonicalJson(config));
}

/** The hash of every field and value as written, under which decisions are remembered: only an edit changes it. */
export function writtenHash(raw: RawEntry): string {
  return digest(canonicalJson(raw));
}

/**
 * The hash that an approval is bound to: every field and value as written, before expansion, and the absolute path of
 * the command. An edit changes it; a new value of a variable does not.
 */
export function entryHash(raw: RawEntry, commandPath: string | undefined): string {
  return digest(`${canonicalJson(raw)}\n${commandPath ?? ''}`);
}
