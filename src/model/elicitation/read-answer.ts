import { unreachable } from '../../base/never.js';
import { checkField, TOO_LARGE } from './check-field.js';
import type { Choice, ChoiceField, ChoicesField, Field, NumberField } from './form.js';

/** The meaning of what a user typed into a field. */
export type Typed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'nothing' }
  /** `why`: a sentence that says what to type instead. */
  | { readonly kind: 'wrong'; readonly why: string };

/** Contract: a returned value always fits the field. */
export function readFieldAnswer(field: Field, typed: string): Typed {
  const text = typed.trim();
  if (text === '') return NOTHING;
  const answer = readKind(field, field.kind === 'text' && field.format === undefined ? typed : text);
  if (answer.kind !== 'value') return answer;
  const why = checkField(field, answer.value);
  return why === undefined ? answer : wrong(why);
}

function readKind(field: Field, text: string): Typed {
  switch (field.kind) {
    case 'text':
      // Two quotes mean the empty text: typing nothing leaves the field out.
      return value(text === '""' ? '' : text);
    case 'number':
      return readNumber(field, text);
    case 'boolean':
      return readBoolean(text);
    case 'choice':
      return readChoice(field, text);
    case 'choices':
      return readChoices(field, text);
    default:
      return unreachable(field);
  }
}

function readNumber({ isInteger }: NumberField, text: string): Typed {
  if (/^[+-]?\d+(?:,\d+)+$/u.test(text)) return wrong(withoutCommas(text));
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/iu.test(text)) {
    return wrong(isInteger ? 'Write a whole number in digits, like 12.' : 'Write a number in digits, like 12 or 1.5.');
  }
  const number = Number(text);
  // `Number` would round such an integer, and another one than was typed would be sent.
  const isWhole = /^[+-]?\d+$/u.test(text) && Number.isFinite(number);
  return isWhole && BigInt(number) !== BigInt(text.replace('+', '')) ? wrong(TOO_LARGE) : value(number);
}

/** A comma separates thousands in some countries and starts the fraction in others, so both readings are offered. */
function withoutCommas(text: string): string {
  const isThousands = /^[+-]?\d{1,3}(?:,\d{3})+$/u.test(text);
  const whole = isThousands ? [`without commas: ${text.replaceAll(',', '')}`] : [];
  const fraction = /^[+-]?\d+,\d+$/u.test(text) ? [`with a point: ${text.replace(',', '.')}`] : [];
  return `Write it ${[...whole, ...fraction].join(', or ') || 'without commas'}`;
}

function readBoolean(text: string): Typed {
  const word = text.toLowerCase();
  if (['y', 'yes', 'true', '1', 'on'].includes(word)) return value(true);
  if (['n', 'no', 'false', '0', 'off'].includes(word)) return value(false);
  return wrong('Write y for yes or n for no.');
}

function readChoice({ choices }: ChoiceField, text: string): Typed {
  const found = findChoice(choices, text);
  return typeof found === 'string' ? wrong(found) : value(found.value);
}

function readChoices({ choices }: ChoicesField, text: string): Typed {
  if (text === '-') return value([]);
  const values: string[] = [];
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const found = findChoice(choices, part);
    if (typeof found === 'string') return wrong(found);
    if (!values.includes(found.value)) values.push(found.value);
  }
  return values.length === 0 ? NOTHING : value(values);
}

/** Finds a choice by its number in the list or by its text. If a number fits both, the user must say which is meant. */
function findChoice(choices: readonly Choice[], text: string): Choice | string {
  const [, place] = /^#(\d{1,6})$/u.exec(text) ?? [];
  const meant = text.startsWith('=') ? text.slice(1).trim() : text;
  const bySaying = findByText(choices, meant);
  const byPlace = /^\d{1,6}$/u.test(place ?? text) ? choices[Number(place ?? text) - 1] : undefined;
  if (byPlace && bySaying && byPlace !== bySaying) {
    const number = place === undefined ? `#${text}` : place;
    return `Write ${number} for number ${place ?? text} of the list, or =${text} for the choice that says ${text}.`;
  }
  return bySaying ?? byPlace ?? `Choose one of the list, by its number from 1 to ${choices.length}.`;
}

/** Labels come before values: the label of one choice may be the value of another. */
function findByText(choices: readonly Choice[], text: string): Choice | undefined {
  const lower = text.toLowerCase();
  return (
    only(choices, ({ label }) => label === text) ??
    only(choices, ({ label }) => label.toLowerCase() === lower) ??
    choices.find((choice) => choice.value === text) ??
    only(choices, (choice) => choice.value.toLowerCase() === lower)
  );
}

function only(choices: readonly Choice[], isIt: (choice: Choice) => boolean): Choice | undefined {
  const found = choices.filter(isIt);
  return found.length === 1 ? found[0] : undefined;
}

function value(given: unknown): Typed {
  return { kind: 'value', value: given };
}

function wrong(why: string): Typed {
  return { kind: 'wrong', why };
}

const NOTHING: Typed = { kind: 'nothing' };
