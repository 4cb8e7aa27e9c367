import { parseUrl } from '../../base/parse-url.js';
import { unreachable } from '../../base/never.js';
import { prepareSchema } from '../schema/check.js';
import { Fuel } from '../schema/fuel.js';
import { gateLine } from '../text/text-gate.js';
import type { Choice, Field, Form, NumberField, TextField, TextFormat } from './form.js';

/** What is wrong with an answer, as a sentence for the user; undefined when it fits. */
export function checkField(field: Field, value: unknown): string | undefined {
  return checkKind(field, value) ?? checkSchema(field, value);
}

/** What is wrong with the answers to a form, beginning with the field's label. Answers to other fields are ignored. */
export function checkContent({ fields }: Form, content: { readonly [name: string]: unknown }): string | undefined {
  for (const field of fields) {
    const isGiven = Object.hasOwn(content, field.name) && content[field.name] !== undefined;
    const wrong = isGiven
      ? checkField(field, content[field.name])
      : field.isRequired
        ? 'This has to be filled in.'
        : '';
    if (wrong !== undefined && wrong !== '') return `${field.label}: ${wrong}`;
  }
  return undefined;
}

/** The answers as they are sent, without the fields that were left empty. */
export function toContent(
  { fields }: Form,
  values: ReadonlyMap<string, unknown>,
): { readonly [name: string]: unknown } {
  const given = fields.filter(({ name }) => values.get(name) !== undefined);
  // `Object.fromEntries`, so that a field named "__proto__" becomes an ordinary property.
  return Object.fromEntries(given.map(({ name }) => [name, values.get(name)]));
}

function checkKind(field: Field, value: unknown): string | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? checkText(field, value) : 'This has to be a text.';
    case 'number':
      return typeof value === 'number' ? checkNumber(field, value) : 'This has to be a number.';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'This has to be yes or no.';
    case 'choice':
      return isOffered(field.choices, value) ? undefined : 'Choose one of the list.';
    case 'choices': {
      if (!Array.isArray(value) || !value.every((one) => isOffered(field.choices, one))) {
        return 'Choose only from the list.';
      }
      const { minItems = 0, maxItems = Infinity } = field;
      if (new Set(value).size < value.length) return 'One choice is there twice.';
      if (value.length < minItems) return `Choose at least ${minItems}; you chose ${value.length}.`;
      return value.length > maxItems ? `Choose at most ${maxItems}; you chose ${value.length}.` : undefined;
    }
    default:
      return unreachable(field);
  }
}

function checkText({ minLength = 0, maxLength = Infinity, format }: TextField, text: string): string | undefined {
  const length = text.length < minLength * 2 || text.length > maxLength ? Array.from(text).length : text.length;
  if (length < minLength) return `Write at least ${minLength} characters; you wrote ${length}.`;
  if (length > maxLength) return `Write at most ${maxLength} characters; you wrote ${length}.`;
  return format === undefined || FITS[format](text) ? undefined : WANTED[format];
}

function checkNumber(
  { isInteger, minimum = -Infinity, maximum = Infinity }: NumberField,
  value: number,
): string | undefined {
  if (!Number.isFinite(value)) return 'This number is too large.';
  if (isInteger && !Number.isInteger(value)) return 'Write a whole number, without a fraction.';
  // Larger integers have gaps, and not every program rounds to the same one.
  if (isInteger && !Number.isSafeInteger(value)) return TOO_LARGE;
  if (value < minimum) return `Write a number that is at least ${minimum}.`;
  return value > maximum ? `Write a number that is at most ${maximum}.` : undefined;
}

function isOffered(choices: readonly Choice[], value: unknown): boolean {
  return choices.some((choice) => choice.value === value);
}

/** Checks keywords beyond the specification's, such as `pattern`, too: otherwise the server would refuse the answer. */
function checkSchema({ schema }: Field, value: unknown): string | undefined {
  const outcome = prepareSchema(schema)(value, new Fuel(CHECK_UNITS));
  if (outcome.kind !== 'invalid') return undefined;
  return `The server does not accept this: it ${gateLine(outcome.issues[0]!.message, { limit: 300 }).text}.`;
}

export const TOO_LARGE = 'This number is too large to be sent exactly.';
const CHECK_UNITS = 200_000; // a few milliseconds
const FITS: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) =>
    text.length <= EMAIL_LIMIT && /^[^\s@<>(),;:"]+@[^\s@.<>(),;:"]+(?:\.[^\s@.<>(),;:"]+)*$/u.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:\S+$/iu.test(text) && parseUrl(text) !== undefined,
  date: (text) => isDate(text),
  'date-time': (text) => {
    const [, date, hour, minute, second] =
      /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/iu.exec(text) ?? [];
    return date !== undefined && isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  },
};
const WANTED: Readonly<Record<TextFormat, string>> = {
  email: 'Write an e-mail address, like ada@example.com.',
  uri: 'Write a whole address, like https://example.com/page.',
  date: 'Write a date as year-month-day, like 2026-05-31.',
  'date-time': 'Write a date and a time with its zone, like 2026-05-31T14:30:00Z or 2026-05-31T14:30:00+02:00.',
};
const EMAIL_LIMIT = 254; // the limit of SMTP

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/u.exec(text) ?? [];
  if (year === undefined) return false;
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === '02' ? (isLeap ? 29 : 28) : ['04', '06', '09', '11'].includes(month!) ? 30 : 31;
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
}
