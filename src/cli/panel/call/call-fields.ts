import { isObject } from '../../../base/json.js';
import type { Choice, Field } from '../../../model/elicitation/form.js';
import { parseField } from '../../../model/elicitation/parse-form.js';
import { readFieldAnswer, type Typed } from '../../../model/elicitation/read-answer.js';
import { prepareSchema } from '../../../model/schema/check.js';
import { Fuel } from '../../../model/schema/fuel.js';
import { gateLine } from '../../../model/text/text-gate.js';

/** One argument of a tool, as a field of a form. What is typed into any of them is a text. */
export interface CallField {
  /** As the server spells it; undefined for the field of all arguments. */
  readonly name: string | undefined;
  /** Safe to show, like everything below. */
  readonly label: string;
  readonly about: string | undefined;
  readonly isRequired: boolean;
  /** The default of the schema, as it would be typed. */
  readonly preset: string;
  /** What to type, in few words. */
  readonly wanted: string;
  /** Labels of a pick list; undefined for a field to type in. */
  readonly choices: readonly string[] | undefined;
  /** Several choices may be picked. */
  readonly isMany: boolean;
  /** The meaning of a text. For a pick list the text has numbers: `#2`, or `#1,#3`. */
  read(text: string): Typed;
}

/** The form for a tool's arguments: a field for each property, as JSON where a form has nothing better. */
export function toCallFields(inputSchema: object): readonly CallField[] {
  const schema = inputSchema as Schema;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const entries = Object.entries(properties);
  const isOpen = WHOLE.some((keyword) => Object.hasOwn(schema, keyword)) && schema['additionalProperties'] !== false;
  if (entries.length > FIELD_LIMIT || (entries.length === 0 && isOpen)) return [wholeField(schema)];
  return entries.map(([name, property]) => toField({ name, property, isRequired: required.includes(name), schema }));
}

type Schema = Readonly<Record<string, unknown>>;

interface Property {
  readonly name: string;
  readonly property: unknown;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

function toField(given: Property): CallField {
  const { name, property, isRequired, schema } = given;
  const parsed = parseField({ name, schema: property, isRequired, dialect: schema['$schema'] });
  if (typeof parsed !== 'string') return parsedField(parsed);
  return enumField(given) ?? jsonField(given);
}

/** A field that a server's own form could have as well. */
function parsedField(field: Field): CallField {
  const { name, about, isRequired } = field;
  const common = { name, label: labelOf(name), about, isRequired, isMany: field.kind === 'choices' };
  const read = (text: string): Typed => readFieldAnswer(field, text);
  switch (field.kind) {
    case 'boolean':
      return pickList(common, { values: [true, false], labels: ['true', 'false'], preset: field.default });
    case 'choice':
    case 'choices': {
      const places = [field.default ?? []].flat().map((value) => `#${placeOf(field.choices, value)}`);
      const labels = field.choices.map(({ label }) => label);
      return { ...common, preset: places.join(','), wanted: pickText(labels, common.isMany), choices: labels, read };
    }
    case 'number':
      return { ...common, preset: String(field.default ?? ''), wanted: wantedNumber(field), choices: undefined, read };
    case 'text':
    default:
      return { ...common, preset: typedText(field.default), wanted: field.format ?? 'text', choices: undefined, read };
  }
}

/** A text as it would be typed; two quotes stand for the empty text. */
function typedText(text: string | undefined): string {
  return text === '' ? '""' : (text ?? '');
}

function wantedNumber({ isInteger, minimum, maximum }: Extract<Field, { kind: 'number' }>): string {
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return [isInteger ? 'whole number' : 'number', ...bounds].join(', ');
}

/** A pick list of any simple values. */
function enumField({ name, property, isRequired }: Property): CallField | undefined {
  const values: unknown = isObject(property) ? property['enum'] : undefined;
  if (!isObject(property) || !Array.isArray(values) || values.length === 0 || values.length > CHOICE_LIMIT)
    return undefined;
  if (!values.every((value) => typeof value !== 'object' || value === null)) return undefined;
  const labels = values.map((value) => gateLine(typeof value === 'string' ? value : JSON.stringify(value), LINE).text);
  const common = { name, label: labelOf(name), about: aboutOf(property), isRequired, isMany: false };
  return pickList(common, { values, labels, preset: property['default'] });
}

interface Pick {
  readonly values: readonly unknown[];
  readonly labels: readonly string[];
  readonly preset: unknown;
}

function pickList(
  common: Omit<CallField, 'preset' | 'wanted' | 'choices' | 'read'>,
  { values, labels, preset }: Pick,
): CallField {
  const place = preset === undefined ? -1 : values.indexOf(preset);
  return {
    ...common,
    preset: place === -1 ? '' : `#${place + 1}`,
    wanted: pickText(labels, false),
    choices: labels,
    read(text) {
      const [, number] = /^#(\d+)$/u.exec(text) ?? [];
      return number === undefined ? NOTHING : { kind: 'value', value: values[Number(number) - 1] };
    },
  };
}

function pickText(labels: readonly string[], isMany: boolean): string {
  return `${isMany ? 'some' : 'one'} of ${labels.length}`;
}

/** A field whose value is typed as JSON: objects, lists, and whatever takes several types. */
function jsonField({ name, property, isRequired, schema }: Property): CallField {
  // References of the property lead to the definitions of the whole schema.
  const { $defs, definitions, $schema } = schema;
  const shared = { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
  const dialect = $schema === undefined ? {} : { $schema };
  const check = prepareSchema(isObject(property) ? { ...shared, ...dialect, ...property } : property);
  const known = isObject(property) ? property : {};
  return {
    name,
    label: labelOf(name),
    about: aboutOf(known),
    isRequired,
    isMany: false,
    preset: known['default'] === undefined ? '' : JSON.stringify(known['default']),
    wanted: typeof known['type'] === 'string' ? `JSON: ${gateLine(known['type'], LINE).text}` : 'JSON',
    choices: undefined,
    read: (text) => readJson(text, check),
  };
}

function wholeField(schema: Schema): CallField {
  const check = prepareSchema(schema);
  return {
    name: undefined,
    label: 'arguments',
    about: 'all arguments as one JSON object',
    isRequired: false,
    isMany: false,
    preset: '',
    wanted: 'JSON: object',
    choices: undefined,
    read(text) {
      const typed = readJson(text, check);
      return typed.kind === 'value' && !isObject(typed.value) ? { kind: 'wrong', why: 'Write a JSON object.' } : typed;
    },
  };
}

function readJson(text: string, check: ReturnType<typeof prepareSchema>): Typed {
  if (text.trim() === '') return NOTHING;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? gateLine(error.message, LINE).text : '';
    return { kind: 'wrong', why: `This is not JSON (texts need quotes): ${why}` };
  }
  const outcome = check(value, new Fuel(CHECK_UNITS));
  if (outcome.kind !== 'invalid') return { kind: 'value', value };
  const { path, message } = outcome.issues[0]!;
  return { kind: 'wrong', why: `It does not fit the schema: ${gateLine(`${path} ${message}`.trim(), LINE).text}` };
}

function placeOf(choices: readonly Choice[], value: string): number {
  return choices.findIndex((choice) => choice.value === value) + 1;
}

function labelOf(name: string): string {
  return gateLine(name, { limit: NAME_LIMIT }).text.trim() || 'unnamed';
}

function aboutOf({ description }: Schema): string | undefined {
  const line = typeof description === 'string' ? gateLine(description, { limit: ABOUT_LIMIT }).text.trim() : '';
  return line === '' ? undefined : line;
}

const NOTHING: Typed = { kind: 'nothing' };
const WHOLE = ['additionalProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref'];
const LINE = { limit: 300 };
const FIELD_LIMIT = 200; // with more, a form is no help
const CHOICE_LIMIT = 1_000;
const NAME_LIMIT = 100;
const ABOUT_LIMIT = 500;
const CHECK_UNITS = 200_000; // a few milliseconds
