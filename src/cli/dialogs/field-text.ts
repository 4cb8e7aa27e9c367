import { unreachable } from '../../base/never.js';
import type { Choice, Field } from '../../model/elicitation/form.js';
import { showLine } from '../../model/show.js';
import { cutToColumns } from '../terminal/text/text-width.js';
import { firstQuotedRows } from './frame.js';

/** The lines above a field's input: its place in the form, the server's label and description, its choices. */
export function describeField(
  field: Field,
  { at, count, columns }: { readonly at: number; readonly count: number; readonly columns: number },
): string[] {
  const { label, about, isRequired } = field;
  return [
    '',
    `Field ${at + 1} of ${count}${isRequired ? '' : ', may be left empty'}:`,
    ...firstQuotedRows(label, columns),
    ...(about === undefined ? [] : firstQuotedRows(about, columns, '  ')),
    ...('choices' in field ? listChoices(field.choices, columns) : []),
  ];
}

function listChoices(choices: readonly Choice[], columns: number): string[] {
  const shown = choices.slice(0, CHOICES_SHOWN);
  const rows = shown.flatMap(({ label }, at) => firstQuotedRows(`${at + 1}) ${label}`, columns, '  '));
  const more = choices.length - shown.length;
  return more > 0 ? [...rows, `  and ${more} more: type its words, or ? to list them all`] : rows;
}

/** What the user is to type, in few words. */
export function wantedOf(field: Field): string {
  switch (field.kind) {
    case 'text':
      return field.format === undefined
        ? `Text${bounds(field.minLength, field.maxLength, 'characters')}`
        : FORMATS[field.format];
    case 'number':
      return `${field.isInteger ? 'Whole number' : 'Number'}${bounds(field.minimum, field.maximum)}`;
    case 'boolean':
      return 'y or n';
    case 'choice':
      return `One of 1 to ${field.choices.length}`;
    case 'choices':
      return `Some of 1 to ${field.choices.length}, separated by commas${bounds(field.minItems, field.maxItems, 'of them')}`;
    default:
      return unreachable(field);
  }
}

/** A value as the summary before sending shows it. */
export function showValue(field: Field, value: unknown): string {
  if (value === undefined) return '(left empty)';
  if (field.kind === 'boolean') return value === true ? 'yes' : 'no';
  if (field.kind === 'choice') return labelOf(field.choices, value);
  if (field.kind !== 'choices') return value === '' ? '(an empty text)' : plain(value);
  const labels = (value as readonly unknown[]).map((one) => labelOf(field.choices, one));
  return labels.length === 0 ? '(none of them)' : labels.join(', ');
}

/** The value that Enter alone takes, short enough for the prompt. */
export function showPreset(field: Field, value: unknown): string {
  if (field.kind === 'boolean') return value === true ? 'y' : 'n';
  if (field.kind === 'choice') return String(placeOf(field.choices, value));
  if (field.kind === 'choices') {
    const places = (value as readonly unknown[]).map((one) => placeOf(field.choices, one));
    return places.length === 0 ? '-' : places.join(',');
  }
  return cutToColumns(plain(value), PRESET);
}

/** The answer to `?`: all choices of the field, what it takes, and the commands of the dialog. */
export function helpFor(field: Field, columns: number): string[] {
  return [
    ...('choices' in field && field.choices.length > CHOICES_SHOWN
      ? field.choices.flatMap(({ label }, at) => firstQuotedRows(`${at + 1}) ${label}`, columns, '  '))
      : []),
    `Wanted: ${wantedOf(field)}.`,
    'Enter alone takes the value in [brackets], or leaves the field empty.',
    ':skip leaves the field empty. :back goes to the field before. :decline says no to the server. :cancel or Ctrl-C leaves.',
    ...(field.kind === 'text' ? ['Type "" for an empty text, and \\ before a text that begins with : or ?.'] : []),
    ...(field.kind === 'choice' || field.kind === 'choices' ? ['Type a choice by its number or its words.'] : []),
    ...(field.kind === 'choices' ? ['- means none of them.'] : []),
  ];
}

function bounds(least: number | undefined, most: number | undefined, what = ''): string {
  const unit = what === '' ? '' : ` ${what}`;
  if (least !== undefined && most !== undefined)
    return least === most ? `, ${least}${unit}` : `, ${least} to ${most}${unit}`;
  if (least !== undefined && least > 0) return `, at least ${least}${unit}`;
  return most === undefined ? '' : `, at most ${most}${unit}`;
}

function plain(value: unknown): string {
  return showLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function labelOf(choices: readonly Choice[], value: unknown): string {
  return choices.find((choice) => choice.value === value)?.label ?? '';
}

function placeOf(choices: readonly Choice[], value: unknown): number {
  return choices.findIndex((choice) => choice.value === value) + 1;
}

const FORMATS = {
  email: 'E-mail address',
  uri: 'URL, like https://example.com',
  date: 'Date, like 2026-05-31',
  'date-time': 'Date and time, like 2026-05-31T14:30:00Z',
};
const CHOICES_SHOWN = 30;
const PRESET = 41; // columns
