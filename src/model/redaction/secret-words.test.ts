import { expect, test } from 'vitest';
import { MASK } from '../../base/secret.js';
import { secretWords, withoutWords } from './secret-words.js';

const BODY = ['MIIBOgIBAAJBAKj34GkxFhD90vcN', 'LYLInFEX6Ppy1tPf9Cnzj4p4WGeK', 'Qx4='];
const KEY = ['-----BEGIN RSA PRIVATE KEY-----', ...BODY, '-----END RSA PRIVATE KEY-----'].join('\n');

const clean = (text: string, ...secrets: readonly string[]): string => withoutWords(text, secretWords(secrets));

const SECRETS: readonly (readonly [what: string, secret: string])[] = [
  ['of one line', 'tok-5fK20dkWq9'],
  ['with a quote', 'abc"9f8e7d6c5b'],
  ['with a backslash', String.raw`back\slash9f8e7d`],
  ['of several lines', KEY],
  ['that ends with a line break', 'tok-5fK20dkWq9\n'],
];

test.each(SECRETS)('a secret %s is masked as it is and in JSON, also in JSON within JSON', (_, secret) => {
  const once = JSON.stringify({ KEY: secret, OTHER: 'stays' });
  expect(clean(`It is ${secret}.`, secret)).toBe(`It is ${MASK}.`);
  expect(JSON.parse(clean(once, secret))).toEqual({ KEY: MASK, OTHER: 'stays' });
  expect(JSON.parse(JSON.parse(clean(JSON.stringify(once), secret)) as string)).toEqual({ KEY: MASK, OTHER: 'stays' });
});

test('the value behind a scheme is masked in JSON, too', () => {
  expect(clean(JSON.stringify({ sent: 'abc"9f8e7d6c5b' }), 'Bearer abc"9f8e7d6c5b')).toBe(`{"sent":"${MASK}"}`);
});

test.each([
  ['\n', '\r\n'],
  ['\r\n', '\n'],
])('line ends may be others: %j shown as %j', (stored, shown) => {
  const [secret, text] = [KEY.replaceAll('\n', stored), KEY.replaceAll('\n', shown)];
  expect(clean(text, secret)).toBe(MASK);
  expect(clean(JSON.stringify([text]), secret)).toBe(JSON.stringify([MASK]));
});

test('a key of several lines is masked line by line, and what says that it is a key stays', () => {
  const numbered = KEY.split('\n').map((line, at) => `${String(at)}: ${line}`);
  expect(clean(numbered.join('\n'), KEY).split('\n')).toEqual([
    numbered[0],
    `1: ${MASK}`,
    `2: ${MASK}`,
    ...numbered.slice(3),
  ]);
  expect(clean('-----BEGIN RSA PRIVATE KEY-----', KEY)).toBe('-----BEGIN RSA PRIVATE KEY-----');
});

test('lines are masked without their indentation, and in JSON', () => {
  const secret = '{\n  "password": "hunter22",\n  "port": 1\n}';
  const line = '"password": "hunter22",';
  expect(clean(JSON.stringify([`> ${line}`, '"port": 1']), secret)).toBe(JSON.stringify([`> ${MASK}`, '"port": 1']));
});

test('most secrets are one word, and one of very many lines is a bounded number', () => {
  expect(secretWords(['tok-5fK20dkWq9'])).toEqual(['tok-5fK20dkWq9']);
  const lines = Array.from({ length: 20_000 }, (_, at) => `"line number ${String(at)}"`);
  expect(secretWords([lines.join('\n')]).length).toBeLessThan(2000);
});
