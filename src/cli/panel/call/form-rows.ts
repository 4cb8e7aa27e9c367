import { showHidden } from '../../../model/permissions/show-input.js';
import type { Style } from '../../output/style.js';
import { quotedRows } from '../../session/display/quoted-rows.js';
import { cutToColumns, padText, textWidth, wrapText } from '../../terminal/text/text-width.js';
import type { CallField } from './call-fields.js';
import { answerOf, editorOf, type FormState, pickedOf } from './call-form.js';

/** Rows of a form, and those that must be on the screen. */
export interface FormRows {
  readonly rows: readonly string[];
  readonly focus: { readonly from: number; readonly to: number };
}

export interface FormLook {
  readonly columns: number;
  readonly style: Pick<Style, 'inverse' | 'bold' | 'yellow' | 'dim'>;
  /** `server.tool`, safe to show. */
  readonly tool: string;
}

/** The form of a call: a row for each argument, and below the one with the focus what it takes. */
export function formRows(form: FormState, fields: readonly CallField[], look: FormLook): FormRows {
  const { columns, style, tool } = look;
  const widest = Math.max(0, ...fields.map((field) => textWidth(field.label) + 1));
  const width = Math.max(1, Math.min(widest, Math.floor(columns / 3), LABEL_COLUMNS));
  const at = Math.min(form.at, fields.length);
  const rows: string[] = [];
  let focus = { from: 0, to: 0 };
  for (const [index, field] of fields.entries()) {
    const isFocused = index === at;
    const from = rows.length;
    rows.push(...fieldRows(form, field, { ...look, width, isFocused }));
    if (isFocused) focus = { from, to: rows.length };
  }
  if (fields.length === 0) rows.push('  This tool takes no arguments.');
  const isButton = at === fields.length;
  if (isButton) focus = { from: rows.length + 1, to: rows.length + 2 };
  const button = cutToColumns(`${isButton ? '>' : ' '} [ Call ${tool} ]`, columns);
  rows.push('', isButton ? style.inverse(button) : button);
  return { rows, focus };
}

interface FieldLook extends FormLook {
  readonly width: number;
  readonly isFocused: boolean;
}

function fieldRows(form: FormState, field: CallField, look: FieldLook): string[] {
  const { columns, style, width, isFocused } = look;
  const mark = `${cutToColumns(field.label, width - 1)}${field.isRequired ? '*' : ''}`;
  const head = `${isFocused ? '>' : ' '} ${padText(mark, width)} `;
  const room = Math.max(1, columns - textWidth(head) - 1);
  const value = field.choices ? choiceText(form, field, room) : typedText(form, field, { room, isFocused });
  const shown = `${isFocused ? style.bold(head) : head}${value}`;
  const typed = answerOf(form, field);
  const isToTell = typed.kind === 'wrong' && (form.isTried || (isFocused && form.editors.size > 0));
  const wrong = isToTell ? wrapText(`    Not yet: ${typed.why}`, columns - 1, 4).map(style.yellow) : [];
  if (!isFocused) return [shown, ...wrong];
  const wanted = `${field.wanted}${field.isRequired ? ', required' : ', may be left empty'}`;
  return [
    shown,
    ...wrong,
    ...(field.choices ? choiceRows(form, field, look) : []),
    ...wrapText(`    ${wanted}`, columns - 1, 4).map(style.dim),
    ...(field.about === undefined ? [] : quotedRows(field.about, columns - 4).map((row) => `    ${row}`)),
  ];
}

/** The text around the cursor, as much as fits. Line breaks and hidden characters are written out. */
function typedText(
  form: FormState,
  field: CallField,
  { room, isFocused }: { readonly room: number; readonly isFocused: boolean },
): string {
  const { text, cursor } = editorOf(form, field);
  if (!isFocused) return cutToColumns(visible(text.slice(0, room * 2)), room);
  const before = visible(text.slice(Math.max(0, cursor - room), cursor));
  const after = visible(text.slice(cursor, cursor + room));
  const letters = Array.from(before);
  while (letters.length > 0 && textWidth(letters.join('')) > room - 1) letters.shift();
  return cutToColumns(`${letters.join('')}▏${after}`, room);
}

function visible(text: string): string {
  return showHidden(text.replaceAll('\n', '⏎')).replaceAll(/[\p{Cc}\p{Cs}]/gu, '�');
}

function choiceText(form: FormState, field: CallField, room: number): string {
  const labels = pickedOf(form, field).map((place) => field.choices![place] ?? '?');
  return cutToColumns(labels.length === 0 ? '–' : labels.join(', '), room);
}

/** The pick list around the choice with the focus. */
function choiceRows(form: FormState, field: CallField, { columns, style }: FieldLook): string[] {
  const choices = field.choices!;
  const picked = pickedOf(form, field);
  const at = field.isMany ? form.choice : (picked[0] ?? 0);
  const top = Math.max(0, Math.min(at - Math.floor(CHOICE_ROWS / 2), choices.length - CHOICE_ROWS));
  const rows = choices.slice(top, top + CHOICE_ROWS).map((label, index) => {
    const place = top + index;
    const isPicked = picked.includes(place);
    const mark = field.isMany ? (isPicked ? '[x]' : '[ ]') : isPicked ? '(•)' : '( )';
    const row = cutToColumns(`    ${field.isMany && place === at ? '>' : ' '} ${mark} ${label}`, columns - 1);
    return isPicked ? style.bold(row) : row;
  });
  const more = choices.length - CHOICE_ROWS;
  return more > 0 ? [...rows, style.dim(`      ${at + 1} of ${choices.length}`)] : rows;
}

const LABEL_COLUMNS = 24;
const CHOICE_ROWS = 8;
