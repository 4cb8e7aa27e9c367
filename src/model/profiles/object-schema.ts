import { shorten } from '../../base/shorten.js';
import type { ToolDefinition, JsonSchema } from '../tool.js';
import { outOfBounds } from './bounds.js';
import { flattenRoot } from './flatten-root.js';
import { References } from './references.js';
import { Repairs } from './repairs.js';
import { toSoundSchema } from './sound-schema.js';

export type ObjectSchema =
  | {
      readonly kind: 'object';
      readonly schema: JsonSchema;
      readonly description: string;
      readonly repairs: Repairs;
    }
  | { readonly kind: 'aside'; readonly reason: string };

/** What every API needs of a definition: a valid name and a sound object schema. Unchanged if it is that already. */
export function toObjectSchema({ name, description, inputSchema }: ToolDefinition, names: RegExp): ObjectSchema {
  if (!names.test(name))
    return { kind: 'aside', reason: `Its name ${JSON.stringify(shorten(name, 80))} is not allowed` };
  const reason = outOfBounds(inputSchema);
  if (reason !== undefined) return { kind: 'aside', reason };
  const repairs = new Repairs();
  const sound = toSoundSchema(inputSchema, repairs);
  const flat = flattenRoot(sound, new References(sound), repairs);
  if (flat.kind === 'aside') return flat;
  const told = flat.forms === undefined ? description : `${description}\n\n${flat.forms}`.trimStart();
  return { kind: 'object', schema: flat.schema, description: told, repairs };
}
