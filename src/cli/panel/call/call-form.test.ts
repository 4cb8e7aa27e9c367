import { expect, test } from 'vitest';
import type { Key } from '../../terminal/screen.js';
import { panelKeyOf, plain } from '../panel-fixtures.js';
import { textWidth } from '../../terminal/text/text-width.js';
import { type CallField, toCallFields } from './call-fields.js';
import { answerOf, type FormState, inputOf, newForm, pressForm } from './call-form.js';
import { formRows } from './form-rows.js';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'What it is about' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    urgent: { type: 'boolean', default: false },
    kind: { type: 'string', enum: ['bug', 'idea', 'question'] },
    level: { enum: [1, 2, null] },
    labels: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
    place: { $ref: '#/$defs/place' },
    any: true,
  },
  required: ['title', 'kind'],
  $defs: { place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
};
const fields = toCallFields(schema);

/** Words are keys; anything in quotes is typed letter by letter. */
function type(words: readonly string[], on: readonly CallField[] = fields, from: FormState = newForm): FormState {
  const keys = words.flatMap((word): Key[] => {
    if (word.startsWith('"'))
      return Array.from(word.slice(1, -1), (letter) => panelKeyOf(letter === ' ' ? 'space' : letter));
    return [word === 'shift-tab' ? { ...panelKeyOf('tab'), shift: true } : panelKeyOf(word)];
  });
  return keys.reduce((form, key) => pressForm(form, on, key) ?? form, from);
}

function downTo(name: string): string[] {
  return Array.from({ length: fields.findIndex((field) => field.name === name) }, () => 'down');
}

function check(words: readonly string[], name: string, expected: unknown): void {
  expect(
    answerOf(
      type(words),
      fields.find((field) => field.name === name)!,
    ),
  ).toEqual(expected);
}

test('a field is read by its type, its bounds, its list or its schema', () => {
  check(['"hi there"'], 'title', { kind: 'value', value: 'hi there' });
  check([], 'title', { kind: 'wrong', why: 'This argument is required.' });
  check([], 'count', { kind: 'value', value: 3 });
  check([...downTo('count'), 'backspace', '"12"'], 'count', {
    kind: 'wrong',
    why: 'Write a number that is at most 9.',
  });
  check([...downTo('count'), 'backspace'], 'count', { kind: 'nothing' });
  check([], 'urgent', { kind: 'value', value: false });
  check([...downTo('urgent'), 'left'], 'urgent', { kind: 'value', value: true });
  check([...downTo('urgent'), 'backspace'], 'urgent', { kind: 'nothing' });
  check([...downTo('kind'), 'right', 'right'], 'kind', { kind: 'value', value: 'idea' });
  check([...downTo('kind'), '"q"'], 'kind', { kind: 'value', value: 'question' });
  check([...downTo('level'), 'left'], 'level', { kind: 'value', value: null });
  check([...downTo('labels'), 'space', 'right', 'right', 'space'], 'labels', { kind: 'value', value: ['a', 'c'] });
  check([...downTo('labels'), 'space', 'space'], 'labels', { kind: 'nothing' });
  check([...downTo('place'), '"{"x":1}"'], 'place', { kind: 'value', value: { x: 1 } });
  check([...downTo('place'), '"{}"'], 'place', { kind: 'wrong', why: expect.stringContaining('does not fit') });
  check([...downTo('place'), '"{"'], 'place', { kind: 'wrong', why: expect.stringContaining('not JSON') });
  check([...downTo('any'), '"[1]"'], 'any', { kind: 'value', value: [1] });
});

test('what is sent is what stands in the form; the first wrong field is named', () => {
  expect(inputOf(type([]), fields)).toEqual({ kind: 'wrong', at: 0 });
  expect(inputOf(type(['"x"']), fields)).toEqual({ kind: 'wrong', at: 3 });
  const filled = type(['"x"', 'tab', 'tab', 'tab', 'space']);
  expect(inputOf(filled, fields)).toEqual({
    kind: 'input',
    input: { title: 'x', count: 3, urgent: false, kind: 'bug' },
  });
});

test('a name like __proto__ is an argument like any other', () => {
  const odd = toCallFields({ type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') as object });
  const read = inputOf(type(['"x"'], odd), odd);
  expect(JSON.stringify(read)).toBe('{"kind":"input","input":{"__proto__":"x"}}');
});

test.each<[schema: object, labels: readonly string[]]>([
  [{ type: 'object' }, []],
  [{}, []],
  [{ type: 'object', properties: {} }, []],
  [{ type: 'object', additionalProperties: true }, ['arguments']],
  [{ $ref: '#/$defs/x' }, ['arguments']],
  [
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 201 }, (_, place) => [`p${place}`, {}])) },
    ['arguments'],
  ],
  [{ type: 'object', properties: { '\u001B[2J': { type: 'string' } } }, ['unnamed']],
  [
    { type: 'object', properties: { a: { type: 'string', enum: [] }, b: { type: 'nonsense' }, c: null } },
    ['a', 'b', 'c'],
  ],
])('the fields of %j are %j', (given, labels) => {
  expect(toCallFields(given).map(({ label }) => label)).toEqual(labels);
});

function paint(form: FormState, columns: number): string {
  return formRows(form, fields, { columns, style: plain, tool: 'notes.add' }).rows.join('\n');
}

test('the form shows names, values, what is required, and the list of the field with the focus', () => {
  const form = type(['"hi"', ...downTo('kind'), 'right']);
  expect(`\n${paint(form, 60)}\n`).toMatchInlineSnapshot(`
    "
      title*  hi
      count   3
      urgent  false
    > kind*   bug
          (•) bug
          ( ) idea
          ( ) question
        one of 3, required
      level   –
      labels  –
      place   
      any     

      [ Call notes.add ]
    "
  `);
  expect(`\n${paint({ ...newForm, isTried: true }, 40)}\n`).toMatchInlineSnapshot(`
    "
    > title*  ▏
        Not yet: This argument is required.
        text, required
        | What it is about
      count   3
      urgent  false
      kind*   –
        Not yet: This argument is required.
      level   –
      labels  –
      place   
      any     

      [ Call notes.add ]
    "
  `);
});

test('no row is wider than the screen, whatever is typed and wherever the focus is', () => {
  const typed = type(['"' + '漢字 long text '.repeat(30) + '"', 'down', '"x\u0007"']);
  for (const columns of [20, 40, 80, 120]) {
    for (let focus = 0; focus <= fields.length; focus++) {
      const { rows, focus: shown } = formRows({ ...typed, at: focus, isTried: true }, fields, {
        columns,
        style: plain,
        tool: 'a.b',
      });
      expect(Math.max(...rows.map((row) => textWidth(row)))).toBeLessThanOrEqual(columns);
      expect(shown.to).toBeGreaterThan(shown.from);
      expect(rows.join('')).not.toMatch(/\p{Cc}/u);
    }
  }
});
