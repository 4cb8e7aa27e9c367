import { describe, expect, test } from 'vitest';
import { MASK, Secret } from '../../base/secret.js';
import { isSteep } from '../../../test/cpu-time.js';
import { textRedactor } from './redact-text.js';

const SECRET = 'tiger~lily?>>ö+7';
const redactor = textRedactor({ secrets: [new Secret(SECRET)] });

/** What a person reads must not tell the secret: no run of it decodes to a part of the secret. */
function check(written: string): void {
  const shown = redactor.redact(`before <${written}> after`);
  expect(shown).toMatch(/^before <.*> after$/u);
  expect(shown).toContain(MASK);
  const left = shown.slice('before <'.length, -'> after'.length);
  for (const part of left.split(MASK)) {
    for (const shift of ['', 'A', 'AA', 'AAA']) {
      const decoded = Buffer.from(shift + part, 'base64').toString('utf8');
      expect(SECRET.split('').some((_, at) => at > 2 && decoded.includes(SECRET.slice(at - 3, at)))).toBe(false);
    }
  }
  expect(redactor.redact(shown)).toBe(shown);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('a secret is masked in base64, whatever bytes are before it', () => {
  const befores = ['', 'u:', 'jo:', 'joe:', 'jane:'];
  const afters = ['', '1', '12', '123'];
  const all = befores.flatMap((before) => afters.map((after) => [before, after] as const));
  test.each(all)('behind "%s", before "%s"', (before, after) => {
    const written = base64(before + SECRET + after);
    const safe = Buffer.from(before + SECRET + after).toString('base64url');
    for (const one of [written, safe, written.replace(/=+$/u, ''), encodeURIComponent(written)]) check(one);
    check(encodeURIComponent(written).toLowerCase() === written ? written : written.replaceAll('/', String.raw`\/`));
  });
});

test.each([
  ['in hex', Buffer.from(SECRET).toString('hex')],
  ['in large hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a URL, with small letters', encodeURIComponent(SECRET).replaceAll(/%../gu, (one) => one.toLowerCase())],
  ['in a form', new URLSearchParams({ x: SECRET }).toString().slice(2)],
  ['in a URL, every byte', Array.from(Buffer.from(SECRET), (byte) => `%${byte.toString(16)}`).join('')],
])('a secret is masked %s', (_, written) => {
  expect(redactor.redact(`x=${written}&y`)).toBe(`x=${MASK}&y`);
});

test('a secret with blanks is masked in a form', () => {
  const spaced = textRedactor({ secrets: [new Secret('correct horse battery')] });
  expect(spaced.redact('q=correct+horse+battery&p=1')).toBe(`q=${MASK}&p=1`);
});

test('an encoded secret that a hidden character splits is masked', () => {
  const written = base64(SECRET);
  expect(redactor.redact(`x ${written.slice(0, 6)}\u200B${written.slice(6)} y`)).toBe(`x ${MASK} y`);
});

test('other encoded texts stay, and so do the forms of short and everyday values', () => {
  const plain = textRedactor({ secrets: [new Secret('abc1234'), new Secret('production')] });
  const text = `${base64('abc1234')} ${base64('production')} 100% %zz %e4 ${base64('something else')}`;
  expect(plain.redact(text)).toBe(text);
  expect(redactor.redact(text)).toBe(text);
});

test('secrets of any length, and texts of any size, take bounded work', () => {
  const long = textRedactor({ secrets: [new Secret('aé'.repeat(4_000)), new Secret('k'.repeat(100_000))] });
  const encoded = Array.from(Buffer.from('aé'.repeat(4_000)), (byte) => `%${byte.toString(16)}`).join('');
  expect(long.redact(`<${encoded}>`)).toBe(`<${MASK}>`);
  const many = textRedactor({ secrets: Array.from({ length: 20 }, (_, at) => new Secret(`secret-${at}-${SECRET}`)) });
  const units = ['%73', 'dGlnZXI', 'secret-1-', '+', 'c2VjcmV0LTEt', '%', '73'];
  expect(units.filter((unit) => isSteep((length) => many.redact(unit.repeat(length / unit.length))))).toEqual([]);
});
