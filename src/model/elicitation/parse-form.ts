// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
import { isObject } from '../../base/json.js';
import { roughSize } from '../../base/rough-size.js';
import { gateLine } from '../text/text-gate.js';
import { checkField } from './check-field.js';
import type { Choice, Field, Form, FormRefusal, TextFormat } from './form.js';

/**
 * The form that a schema describes: one flat object of texts, numbers, booleans and choices. Other schemas are refused,
 * because a person could not fill them in; so are hundreds of fields and thousands of choices.
 */
export function parseForm(requestedSchema: unknown): Form | FormRefusal {
  if (!isObject(requestedSchema)) return refuse('The form has no requestedSchema');
  if (roughSize(requestedSchema, SCHEMA_LIMIT) > SCHEMA_LIMIT) {
    return refuse(`The requestedSchema has more than ${SCHEMA_LIMIT} characters`);
  }
  const { type, properties, required = [], $schema } = requestedSchema;
  if (type !== 'object' || !isObject(properties))
    return refuse('The requestedSchema has to be an object with properties');
  const structure = STRUCTURE.find((keyword) => Object.hasOwn(requestedSchema, keyword));
  if (structure !== undefined) return refuse(`The requestedSchema uses ${structure}, which no form can show`);
  const entries = Object.entries(properties);
  if (entries.length > FIELD_LIMIT) return refuse(`The form has ${entries.length} fields, more than ${FIELD_LIMIT}`);
  if (
    !Array.isArray(required) ||
    required.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))
  ) {
    return refuse('What the form requires is not among its properties');
  }
  const wanted: ReadonlySet<unknown> = new Set(required);
  const fields: Field[] = [];
  for (const [name, schema] of entries) {
    const field = parseField({ name, schema, isRequired: wanted.has(name), dialect: $schema });
    if (typeof field === 'string') return refuse(`Field "${gateLine(name, { limit: 60 }).text}" ${field}`);
    fields.push(field);
  }
  return { kind: 'form', fields };
}

function refuse(reason: string): FormRefusal {
  return { kind: 'refused', reason };
}

/** A property of an object's schema, and the dialect of the whole schema. */
export interface FormProperty {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
  readonly dialect: unknown;
}

type Schema = Readonly<Record<string, unknown>>;
type Common = Pick<Field, 'name' | 'label' | 'about' | 'isRequired' | 'schema'>;

/** The field, or what is wrong with its schema, as the end of a sentence that begins with the field's name. */
export function parseField({ name, schema: written, isRequired, dialect }: FormProperty): Field | string {
  if (name.length > NAME_LIMIT) return 'has far too long a name';
  if (!isObject(written)) return 'has no schema';
  const schema = withoutNull(written);
  const structure = FIELD_STRUCTURE.find((keyword) => Object.hasOwn(schema, keyword));
  if (structure !== undefined) return `uses ${structure}, and a form has only texts, numbers, booleans and choices`;
  const title = lineOf(schema['title'], LABEL_LIMIT);
  const common: Common = {
    name,
    label: title ?? (gateLine(name, { limit: LABEL_LIMIT }).text.trim() || 'unnamed'),
    about: lineOf(schema['description'], ABOUT_LIMIT),
    isRequired,
    schema: dialect === undefined ? schema : { $schema: dialect, ...schema },
  };
  const field = readKind(schema, common);
  if (typeof field === 'string') return field;
  const preset = schema['default'];
  // A user who only presses Enter sends the default, so one that does not fit is dropped.
  const isFit = preset !== undefined && preset !== null && checkField(field, preset) === undefined;
  return (isFit ? { ...field, default: preset } : field) as Field;
}

function readKind(schema: Schema, common: Common): Field | string {
  switch (schema['type']) {
    case 'string':
      return schema['enum'] !== undefined || schema['oneOf'] !== undefined
        ? readChoice(schema, common)
        : readText(schema, common);
    case 'number':
    case 'integer':
      return readNumber(schema, common);
    case 'boolean':
      return { kind: 'boolean', ...common, default: undefined };
    case 'array':
      return readChoices(schema, common);
    default:
      // An `enum` without `type` is a choice of strings.
      if (schema['type'] === undefined && Array.isArray(schema['enum'])) return readChoice(schema, common);
      return 'is none of text, number, integer, boolean and choice';
  }
}

function readText(schema: Schema, common: Common): Field | string {
  const { format } = schema;
  const bounds = readBounds(schema, ['minLength', 'maxLength']);
  if (typeof bounds === 'string') return bounds;
  const [minLength, maxLength] = bounds;
  if (minLength !== undefined && minLength > TYPED_LIMIT) return `wants more than ${TYPED_LIMIT} characters`;
  const known = FORMATS.find((one) => one === format);
  return { kind: 'text', ...common, minLength, maxLength, format: known, default: undefined };
}

function readNumber(schema: Schema, common: Common): Field | string {
  const { minimum, maximum } = schema;
  if (!isMaybeNumber(minimum) || !isMaybeNumber(maximum)) return 'has a minimum or maximum that is no number';
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) return 'has a minimum above its maximum';
  return { kind: 'number', ...common, isInteger: schema['type'] === 'integer', minimum, maximum, default: undefined };
}

function readChoice({ enum: values, enumNames, oneOf }: Schema, common: Common): Field | string {
  const choices = oneOf === undefined ? toChoices(values, enumNames) : toTitled(oneOf);
  return typeof choices === 'string' ? choices : { kind: 'choice', ...common, choices, default: undefined };
}

function readChoices(schema: Schema, common: Common): Field | string {
  const { items } = schema;
  if (!isObject(items)) return 'is a list without choices';
  const titled = items['anyOf'] ?? items['oneOf'];
  const choices = titled === undefined ? toChoices(items['enum'], items['enumNames']) : toTitled(titled);
  if (typeof choices === 'string') return choices;
  const bounds = readBounds(schema, ['minItems', 'maxItems']);
  if (typeof bounds === 'string') return bounds;
  const [minItems, maxItems] = bounds;
  if (minItems !== undefined && minItems > choices.length) return `wants more choices than its ${choices.length}`;
  return { kind: 'choices', ...common, choices, minItems, maxItems, default: undefined };
}

function toChoices(values: unknown, names: unknown): readonly Choice[] | string {
  if (!Array.isArray(values)) return 'is a list without choices';
  // With another number of names than of values, names would be shown with the wrong values.
  const labels: readonly unknown[] = Array.isArray(names) && names.length === values.length ? names : [];
  return judged(values.map((value: unknown, at) => ({ value, label: labels[at] })));
}

function toTitled(options: unknown): readonly Choice[] | string {
  if (!Array.isArray(options)) return 'is a list without choices';
  return judged(
    options.map((option: unknown) =>
      isObject(option) ? { value: option['const'], label: option['title'] } : NO_CHOICE,
    ),
  );
}

function judged(options: readonly { readonly value: unknown; readonly label: unknown }[]): readonly Choice[] | string {
  if (options.length === 0) return 'has no choices';
  if (options.length > CHOICE_LIMIT) return `has ${options.length} choices, more than ${CHOICE_LIMIT}`;
  const choices: Choice[] = [];
  for (const { value, label } of options) {
    if (typeof value !== 'string' || value.length > VALUE_LIMIT) return 'has a choice that is no text, or far too long';
    choices.push({ value, label: lineOf(label, LABEL_LIMIT) ?? gateLine(value, { limit: LABEL_LIMIT }).text });
  }
  return new Set(choices.map(({ value }) => value)).size === choices.length ? choices : 'has the same choice twice';
}

/** Non-negative integers, the first not above the second. */
function readBounds(
  schema: Schema,
  [low, high]: readonly [string, string],
): readonly [number | undefined, number | undefined] | string {
  const least = schema[low];
  const most = schema[high];
  if (!isMaybeCount(least) || !isMaybeCount(most)) return `has a ${low} or ${high} that is no count`;
  return least !== undefined && most !== undefined && least > most ? `has a ${low} above its ${high}` : [least, most];
}

/** Libraries that derive schemas from types write an optional field as "this or null". */
function withoutNull(schema: Schema): Schema {
  const { anyOf, type, ...rest } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return others.length === 1 ? { ...rest, ...(anyOf !== undefined && { anyOf }), type: others[0] } : schema;
  }
  if (!Array.isArray(anyOf) || type !== undefined) return schema;
  const others: readonly unknown[] = anyOf.filter((one) => !isObject(one) || one['type'] !== 'null');
  const [only] = others;
  return others.length === 1 && others.length < anyOf.length && isObject(only) ? { ...only, ...rest } : schema;
}

function lineOf(text: unknown, limit: number): string | undefined {
  const line = typeof text === 'string' ? gateLine(text, { limit }).text.trim() : '';
  return line === '' ? undefined : line;
}

function isMaybeNumber(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}

function isMaybeCount(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
}

const SCHEMA_LIMIT = 64_000; // characters; no person fills in a larger form
const FIELD_LIMIT = 100;
const CHOICE_LIMIT = 1_000; // more than there are time zones
const NAME_LIMIT = 200;
const LABEL_LIMIT = 200;
const ABOUT_LIMIT = 500;
const VALUE_LIMIT = 1_000;
const TYPED_LIMIT = 10_000; // characters; more than a person types or pastes into one field
const NO_CHOICE = { value: undefined, label: undefined };
const FORMATS: readonly TextFormat[] = ['email', 'uri', 'date', 'date-time'];
/** With these keywords an answer depends on more than each field alone. */
const STRUCTURE = [
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'enum',
  'const',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
];
const FIELD_STRUCTURE = [
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'properties',
  'patternProperties',
  'additionalProperties',
  'prefixItems',
  'contains',
  'allOf',
  'anyOf',
  'not',
  'if',
];
