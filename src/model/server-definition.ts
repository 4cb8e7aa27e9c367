import type { JsonObject } from '../base/json.js';

/**
 * A tool, prompt, resource or template as its server listed it: with `_meta`, icons, annotations as written and unknown fields. Nothing of it
 * has passed the text gate; what the server was told in confidence is redacted, except in schemas.
 */
export interface ServerDefinition {
  readonly item: JsonObject;
  /** False: the server's own item was too large to be kept, and these are the fields that Plugboard knows, cleaned and cut. */
  readonly isComplete: boolean;
}
