import type { JsonObject } from '../../../base/json.js';
import type { Typed } from '../../../model/elicitation/read-answer.js';
import { edit, type Editor, newEditor } from '../../terminal/keys/editor.js';
import type { Key } from '../../terminal/screen.js';
import type { CallField } from './call-fields.js';

/** What the user has typed into a form. It holds nothing from a server: fields are looked up by their place. */
export interface FormState {
  /** The field with the focus; the number of fields for the button that calls. */
  readonly at: number;
  /** By field; without one the field has its preset. */
  readonly editors: ReadonlyMap<string, Editor>;
  /** The choice that a key would pick in a list of which several may be picked. */
  readonly choice: number;
  /** The user has tried to call: every problem is shown. */
  readonly isTried: boolean;
}

export const newForm: FormState = { at: 0, editors: new Map(), choice: 0, isTried: false };

type Fields = readonly CallField[];

export function editorOf({ editors }: FormState, field: CallField): Editor {
  return editors.get(keyOf(field)) ?? newEditor(field.preset);
}

/** What the field means as it stands. A required one that is empty is wrong. */
export function answerOf(form: FormState, field: CallField): Typed {
  const typed = field.read(editorOf(form, field).text);
  return typed.kind === 'nothing' && field.isRequired ? MISSING : typed;
}

/** The arguments to send; or the first field that is wrong. */
export function inputOf(
  form: FormState,
  fields: Fields,
): { readonly kind: 'input'; readonly input: JsonObject } | { readonly kind: 'wrong'; readonly at: number } {
  const given: [string, unknown][] = [];
  for (const [at, field] of fields.entries()) {
    const typed = answerOf(form, field);
    if (typed.kind === 'wrong') return { kind: 'wrong', at };
    if (typed.kind === 'nothing') continue;
    if (field.name === undefined) given.push(...Object.entries(typed.value as JsonObject));
    else given.push([field.name, typed.value]);
  }
  // `Object.fromEntries`, so that a field named "__proto__" becomes an ordinary property.
  return { kind: 'input', input: Object.fromEntries(given) };
}

/** The form after a key; undefined when the key does nothing in a form. */
export function pressForm(form: FormState, fields: Fields, key: Key): FormState | undefined {
  const at = Math.min(form.at, fields.length);
  const to = (wanted: number): FormState => ({
    ...form,
    at: Math.max(0, Math.min(wanted, fields.length)),
    choice: 0,
  });
  const isPlain = !key.ctrl && !key.meta;
  if ((key.name === 'tab' && key.shift) || (key.name === 'up' && isPlain)) return to(at - 1);
  if (key.name === 'tab' || (key.name === 'down' && isPlain) || (key.name === 'return' && isPlain)) return to(at + 1);
  if (key.name === 'pageup') return to(0);
  if (key.name === 'pagedown') return to(fields.length);
  const field = fields[at];
  if (!field) return undefined;
  return field.choices ? pressChoices(form, field, key) : pressText(form, field, key);
}

function pressText(form: FormState, field: CallField, key: Key): FormState | undefined {
  const edited = edit(editorOf(form, field), key);
  return edited && withEditor(form, field, edited);
}

function pressChoices(form: FormState, field: CallField, key: Key): FormState | undefined {
  const count = field.choices!.length;
  const picked = pickedOf(form, field);
  const write = (places: readonly number[], choice = form.choice): FormState =>
    withEditor({ ...form, choice }, field, newEditor(places.map((place) => `#${place + 1}`).join(',')));
  const focus = field.isMany ? form.choice : (picked[0] ?? -1);
  const go = (wanted: number): FormState => {
    const place = (wanted + count) % count;
    return field.isMany ? { ...form, choice: place } : write([place]);
  };
  if (key.ctrl || key.meta) return undefined;
  switch (key.name) {
    case 'right':
      return go(focus + 1);
    case 'left':
      return go(focus <= 0 ? count - 1 : focus - 1);
    case 'home':
      return go(0);
    case 'end':
      return go(count - 1);
    case 'space':
      if (!field.isMany) return go(focus + 1);
      return write(
        picked.includes(focus) ? picked.filter((one) => one !== focus) : [...picked, focus].toSorted((a, b) => a - b),
      );
    case 'backspace':
    case 'delete':
      return write([]);
    default: {
      const letter = key.text.toLowerCase();
      if (letter.length !== 1 || letter === '?') return undefined;
      const places = field.choices!.map((_, at) => (at + focus + 1) % count);
      const found = places.find((place) => field.choices![place]!.toLowerCase().startsWith(letter));
      return found === undefined ? form : go(found);
    }
  }
}

/** The places of the picked choices. */
export function pickedOf(form: FormState, field: CallField): readonly number[] {
  return [...editorOf(form, field).text.matchAll(/#(\d+)/gu)].map(([, number]) => Number(number) - 1);
}

function withEditor(form: FormState, field: CallField, editor: Editor): FormState {
  return { ...form, editors: new Map(form.editors).set(keyOf(field), editor) };
}

/** A name cannot be confused with the field of all arguments. */
function keyOf({ name }: CallField): string {
  return name === undefined ? '*' : `.${name}`;
}

const MISSING: Typed = { kind: 'wrong', why: 'This argument is required.' };
