import type { JsonObject } from '../base/json.js';

/**
 * A tool, prompt, resource or template as its server listed it: with `_meta`, icons, raw annotations and unknown
 * fields. It has not passed the text gate. Secrets that the server was given are redacted, except in schemas.
 */
export interface ServerDefinition {
  /** The item of the server's list. */
  readonly item: JsonObject;
  /** False: the item was too large to keep, and has only the fields that Plugboard knows, cleaned and truncated. */
  readonly isComplete: boolean;
}
