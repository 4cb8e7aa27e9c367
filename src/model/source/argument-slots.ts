import { toSchemaType } from './read-schema.js';
import { propertiesOf, type SchemaType } from './schema-type.js';
import { shortType } from './type-text.js';

/** An argument of a tool, as completion offers it. Texts are the server's: they pass a gate before they are shown. */
export interface ArgumentSlotOfTool {
  readonly name: string;
  readonly isRequired: boolean;
  readonly about: string;
  /** The values that the schema lists, as they are typed; empty when it lists none. */
  readonly values: readonly string[];
}

/** The arguments of a tool by its schema, the needed ones first. */
export function toolSlots(inputSchema: unknown): readonly ArgumentSlotOfTool[] {
  return propertiesOf(toSchemaType(inputSchema))
    .properties.map(({ name, type, isOptional, description }) => ({
      name,
      isRequired: !isOptional,
      about: `${shortType(type, 0)}${isOptional ? ', optional' : ''}${description === '' ? '' : `: ${description}`}`,
      values: valuesOf(type),
    }))
    .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

function valuesOf(type: SchemaType): readonly string[] {
  if (type.kind === 'word') return type.word === 'boolean' ? ['true', 'false'] : [];
  if (type.kind === 'literal') return [String(type.value)];
  return type.kind === 'union' ? type.members.flatMap(valuesOf) : [];
}
