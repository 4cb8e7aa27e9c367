import { expect, test } from 'vitest';
import type { Field } from './form.js';
import { parseForm } from './parse-form.js';
import { type Typed, readFieldAnswer } from './read-answer.js';

function fieldOf(schema: object, more: object = {}): Field {
  const form = parseForm({ type: 'object', properties: { it: schema }, ...more });
  if (form.kind !== 'form') throw new Error(form.reason);
  return form.fields[0]!;
}

function checkRefused(requestedSchema: unknown, reason: RegExp): void {
  const form = parseForm(requestedSchema);
  expect(form).toMatchObject({ kind: 'refused' });
  expect(form.kind === 'refused' && form.reason).toMatch(reason);
  expect(JSON.stringify(form).length).toBeLessThan(400);
}

const of = (it: unknown): object => ({ type: 'object', properties: { it } });
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

const refused: readonly (readonly [title: string, schema: unknown, reason: RegExp])[] = [
  ['no schema', undefined, /no requestedSchema/],
  ['a list', { type: 'array' }, /object with properties/],
  ['no properties', { type: 'object' }, /object with properties/],
  ['conditions', { ...of({ type: 'string' }), if: {} }, /uses if/],
  ['a nested object', of({ type: 'object', properties: { a: { type: 'string' } } }), /"it" uses properties/],
  ['an object without properties', of({ type: 'object' }), /"it" is none of/],
  ['a list of objects', of({ type: 'array', items: { type: 'object' } }), /without choices/],
  ['a list of texts', of({ type: 'array', items: { type: 'string' } }), /without choices/],
  ['a reference', of({ $ref: '#/$defs/a' }), /uses \$ref/],
  ['null alone', of({ type: 'null' }), /none of/],
  ['no schema in a field', of('string'), /no schema/],
  ['2,000 choices', of({ type: 'string', enum: many(2_000) }), /2000 choices/],
  ['10,000 long choices', of({ type: 'string', enum: many(10_000).map((one) => `choice ${one}`) }), /characters/],
  ['choices that are numbers', of({ type: 'string', enum: [1, 2] }), /no text/],
  ['the same choice twice', of({ type: 'string', enum: ['a', 'a'] }), /twice/],
  ['no choices', of({ type: 'string', enum: [] }), /no choices/],
  [
    '101 fields',
    { type: 'object', properties: Object.fromEntries(many(101).map((name) => [name, { type: 'string' }])) },
    /101 fields/,
  ],
  ['required fields that are not there', { ...of({ type: 'string' }), required: ['other'] }, /requires/],
  ['a minimum above the maximum', of({ type: 'integer', minimum: 3, maximum: 2 }), /above/],
  ['a minLength above the maxLength', of({ type: 'string', minLength: 3, maxLength: 2 }), /above/],
  ['a million characters', of({ type: 'string', minLength: 1_000_000 }), /more than 10000/],
  ['half a character', of({ type: 'string', minLength: 0.5 }), /no count/],
  ['more choices than there are', of({ type: 'array', items: { enum: ['a'] }, minItems: 2 }), /more choices/],
  ['a very long name', { type: 'object', properties: { ['n'.repeat(1_000)]: { type: 'string' } } }, /too long a name/],
  ['a megabyte', of({ type: 'string', description: 'x'.repeat(1_000_000) }), /characters/],
];

test.for(refused)('a form with %s is refused', ([, schema, reason]) => checkRefused(schema, reason));

test('a name in a refusal obeys no terminal', () => {
  checkRefused({ type: 'object', properties: { 'a\u001b[2J\nb': { type: 'object' } } }, /^Field "a b" is none of/);
});

test('what a person sees has passed the gate, and what is sent is as the server spelled it', () => {
  const field = fieldOf({
    type: 'string',
    title: 'Colour\u001b[31m\nAllow? [Y/n]',
    description: '\u202eevil',
    oneOf: [{ const: 'r\u200bed', title: 'Red\u0007' }, { const: 'green' }],
  });
  expect(field).toMatchObject({ name: 'it', label: 'Colour Allow? [Y/n]', about: 'evil' });
  expect(field.kind === 'choice' && field.choices).toEqual([
    { value: 'r\u200bed', label: 'Red' },
    { value: 'green', label: 'green' },
  ]);
});

test('all kinds of fields are understood, with their names and defaults', () => {
  const form = parseForm({
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', minLength: 2, maxLength: 5, default: 'Ada' },
      mail: { type: 'string', format: 'email', default: 'no mail' },
      age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
      share: { type: 'number', default: '1' },
      ok: { type: 'boolean', default: false },
      legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'], default: 'b' },
      short: { type: 'string', enum: ['a', 'b'], enumNames: ['First'], default: 'c' },
      tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 2, default: ['x'] },
      titled: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X!' }] }, default: ['z'] },
      maybe: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Maybe' },
      either: { type: ['integer', 'null'] },
    },
    required: ['name'],
    additionalProperties: false,
  });
  expect(
    form.kind === 'form' &&
      form.fields.map(({ kind, label, isRequired, default: preset }) => [kind, label, isRequired, preset]),
  ).toEqual([
    ['text', 'Your name', true, 'Ada'],
    ['text', 'mail', false, undefined],
    ['number', 'age', false, 30],
    ['number', 'share', false, undefined],
    ['boolean', 'ok', false, false],
    ['choice', 'legacy', false, 'b'],
    ['choice', 'short', false, undefined],
    ['choices', 'tags', false, ['x']],
    ['choices', 'titled', false, undefined],
    ['text', 'Maybe', false, undefined],
    ['number', 'either', false, undefined],
  ]);
  const [, , , , , legacy, short] = form.kind === 'form' ? form.fields : [];
  expect(legacy).toMatchObject({
    choices: [
      { value: 'a', label: 'First' },
      { value: 'b', label: 'Second' },
    ],
  });
  expect(short).toMatchObject({ choices: [{ label: 'a' }, { label: 'b' }] });
});

/** The value, or what is wrong with the typed text; undefined when nothing was typed. */
function meant(schema: object, typed: string): unknown {
  const answer: Typed = readFieldAnswer(fieldOf(schema), typed);
  return answer.kind === 'wrong' ? { wrong: answer.why } : answer.kind === 'value' ? answer.value : undefined;
}

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer', minimum: 1, maximum: 10 };
const colour = { type: 'string', enum: ['red', 'green'], enumNames: ['Red wine', 'Grass'] };
const digits = { type: 'string', enum: ['3', '2', '1'] };
const hashes = { type: 'string', enum: ['#2', '#1', '#000000'] };
const crossed = { type: 'string', enum: ['delete', 'keep'], enumNames: ['Keep', 'Delete'] };
const tags = { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 };

const typed: readonly (readonly [schema: object, typed: string, expected: unknown])[] = [
  [text, '', undefined],
  [text, '  ', undefined],
  [text, ' two words ', ' two words '],
  [text, '""', ''],
  [{ ...text, minLength: 3 }, 'ab', /at least 3 characters; you wrote 2/],
  [{ ...text, maxLength: 2 }, '😀😀', '😀😀'],
  [{ ...text, maxLength: 1 }, '😀😀', /at most 1 characters; you wrote 2/],
  [{ ...text, format: 'email' }, ' ada@example.com ', 'ada@example.com'],
  [{ ...text, format: 'email' }, 'ada', /like ada@example\.com/],
  [{ ...text, format: 'uri' }, 'https://example.com/a', 'https://example.com/a'],
  [{ ...text, format: 'uri' }, 'example.com', /like https:/],
  [{ ...text, format: 'date' }, '2028-02-29', '2028-02-29'],
  [{ ...text, format: 'date' }, '2027-02-29', /like 2026-05-31/],
  [{ ...text, format: 'date-time' }, '2026-05-31T14:30:00+02:00', '2026-05-31T14:30:00+02:00'],
  [{ ...text, format: 'date-time' }, '2026-05-31 14:30', /with its zone/],
  [{ ...text, format: 'unheard-of' }, 'anything', 'anything'],
  [{ ...text, pattern: '^a+$' }, 'aaa', 'aaa'],
  [{ ...text, pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`, /does not accept this: it must match the pattern/],
  [number, '1.5', 1.5],
  [number, '-2e3', -2000],
  [number, '1,5', /^Write it with a point: 1\.5$/],
  [number, '1,500', /^Write it without commas: 1500, or with a point: 1\.500$/],
  [number, '1,500,000', /^Write it without commas: 1500000$/],
  [number, '1,5,0', /^Write it without commas$/],
  [number, '6.02e23', 6.02e23],
  [number, '-100000000000000000000', -1e20],
  [number, '+100000000000000000001', /too large/],
  [{ type: 'integer' }, '9007199254740992', /too large/],
  [number, 'NaN', /in digits/],
  [number, 'Infinity', /in digits/],
  [number, '0x10', /in digits/],
  [number, '9007199254740993', /too large/],
  [number, '1e999', /too large/],
  [integer, '1.5', /whole number/],
  [integer, '0', /at least 1/],
  [integer, '11', /at most 10/],
  [{ ...number, multipleOf: 5 }, '7', /multiple of 5/],
  [{ type: 'boolean' }, 'YES', true],
  [{ type: 'boolean' }, 'n', false],
  [{ type: 'boolean' }, 'maybe', /y for yes/],
  [colour, '1', 'red'],
  [colour, 'GREEN', 'green'],
  [colour, 'grass', 'green'],
  [colour, '3', /from 1 to 2/],
  [colour, '0', /from 1 to 2/],
  [digits, '1', /#1 for number 1 of the list, or =1/],
  [digits, '#1', '3'],
  [digits, '=1', '1'],
  [digits, '2', '2'],
  [hashes, '#1', /^Write 1 for number 1 of the list, or =#1 for the choice that says #1\.$/],
  [hashes, '=#1', '#1'],
  [hashes, '#000000', '#000000'],
  [crossed, 'Keep', 'delete'],
  [crossed, 'keep', 'delete'],
  [tags, '1, c', ['a', 'c']],
  [tags, '1,1', ['a']],
  [tags, '1,2,3', /at most 2; you chose 3/],
  [tags, '-', /at least 1/],
  [tags, ',', undefined],
  [tags, '1,x', /from 1 to 3/],
];

test.for(typed)('%o takes %j for %o', ([schema, answer, expected]) => {
  const wrong: unknown = expect.stringMatching(expected instanceof RegExp ? expected : '');
  expect(meant(schema, answer)).toEqual(expected instanceof RegExp ? { wrong } : expected);
});
