import { createRequire } from 'node:module';

export type Json = { readonly [field: string]: unknown };
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Ajv as the official SDK installs it: an independent validator that knows the meta-schema of draft 2020-12.
const ofSdk = createRequire(createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/client/index.js'));
const { default: Ajv2020 } = ofSdk('ajv/dist/2020.js') as {
  default: new (options: object) => { validateSchema(schema: unknown): boolean; errorsText(): string };
};
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** https://json-schema.org/draft/2020-12: whether this is a valid schema, whatever its `$schema` says. */
export function breachesOfDraft(schema: unknown): string[] {
  const { $schema, ...rest } = isJson(schema) ? schema : {};
  if ($schema !== undefined && typeof $schema !== 'string') return ['$schema is no text'];
  return ajv.validateSchema(rest) ? [] : [`not of draft 2020-12: ${ajv.errorsText()}`];
}

/** Every schema inside a schema, with its path. */
export function* schemasIn(
  schema: unknown,
  place = '#',
): Generator<{ readonly schema: unknown; readonly place: string }> {
  yield { schema, place };
  if (!isJson(schema)) return;
  for (const word of ONE) if (schema[word] !== undefined) yield* schemasIn(schema[word], `${place}/${word}`);
  for (const word of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
    for (const [index, one] of Object.entries((schema[word] as unknown[] | undefined) ?? []))
      yield* schemasIn(one, `${place}/${word}/${index}`);
  for (const word of MANY)
    for (const [name, one] of Object.entries((schema[word] as Json | undefined) ?? {}))
      if (!Array.isArray(one)) yield* schemasIn(one, `${place}/${word}/${name}`);
}

const ONE = 'items additionalItems not if then else contains propertyNames additionalProperties'.split(' ');
const MANY = 'properties patternProperties $defs definitions dependentSchemas dependencies'.split(' ');
