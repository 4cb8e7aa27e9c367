import { describe, expect, test } from 'vitest';
import { MASK, Secret } from '../../base/secret.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { StderrRedactor } from './stderr-redactor.js';
import { computedMs } from '../../../test/computed.js';

/** Returns the whole output for these pieces of input. */
function redact(pieces: readonly (string | Uint8Array)[], secrets: readonly string[] = []): string {
  const out: Buffer[] = [];
  const redactor = new StderrRedactor(textRedactor({ secrets: secrets.map((one) => new Secret(one)) }), (bytes) => {
    out.push(bytes);
  });
  for (const piece of pieces) redactor.push(Buffer.from(piece));
  redactor.flush();
  return Buffer.concat(out).toString();
}

const words = (text: string): readonly string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

test('what holds no secret goes on byte by byte, colours, blanks and all ends of lines included', () => {
  const text = '\u001b[31mError:\u001b[0m\tno such file\r\n\n  at x (/srv/a.js:1:2)\r10%\r20%\nno end';
  expect(redact([text])).toBe(text);
  for (let at = 0; at <= text.length; at++) expect(redact([text.slice(0, at), text.slice(at)])).toBe(text);
});

test.each([
  ['a name', 'before\napi_key = "hunter2"\nafter\n', `before\napi_key = ${MASK}\nafter\n`],
  ['a value of the entry', 'got entry-value-1!\n', `got ${MASK}!\n`],
  ['a line that never ends', 'password: hunter2', `password: ${MASK}`],
  ['lines that end in CR alone', 'a\rPASSWORD : hunter2\rb\r', `a\rPASSWORD : ${MASK}\rb\r`],
  ['colours', 'x\n\u001b[32mtoken\u001b[0m=\u001b[33mhunter2\u001b[0m\n', `x\ntoken=${MASK}\n`],
  ['wide characters', 'é password=hunter2ü ✓\n', `é password=${MASK} ✓\n`],
])('a secret in two pieces is masked wherever the cut is: %s', (_, text, expected) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++)
    expect(redact([bytes.subarray(0, at), bytes.subarray(at)], ['entry-value-1'])).toBe(expected);
  expect(
    redact(
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ['entry-value-1'],
    ),
  ).toBe(expected);
});

test('what is shown of an unfinished line gives nothing away when the rest of it comes', () => {
  const line = 'connecting with token=hunter2 now\nnext\n';
  for (let at = 0; at <= line.length; at++) {
    const out: string[] = [];
    const redactor = new StderrRedactor(textRedactor(), (bytes) => void out.push(bytes.toString()));
    redactor.push(Buffer.from(line.slice(0, at)));
    redactor.flush();
    redactor.flush();
    redactor.push(Buffer.from(line.slice(at)));
    redactor.flush();
    const told = out.join('');
    // At most the beginning of the secret may be visible: what was emitted before the rest had come.
    expect(told).not.toMatch(/hunter2|unter2|nter2/u);
    expect(told).toMatch(/\nnext\n$/u);
  }
});

describe('a value of the entry that ends of lines break is masked', () => {
  const secret = 'Entry-value-0123456789';

  test.each(['\n', '\r', '\r\n'])('by %j, wherever that is and however it comes', (end) => {
    for (let at = 1; at < secret.length; at++) {
      const text = `got ${secret.slice(0, at)}${end}${secret.slice(at)} here${end}next${end}`;
      const [head, tail] = [secret.slice(0, at), secret.slice(at)];
      const bytes = Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));
      expect(redact([text], [secret])).toBe(`got ${MASK}${end}${MASK} here${end}next${end}`);
      const ends = text.indexOf(end) + end.length;
      for (const pieces of [
        bytes,
        words(text),
        [text.slice(0, ends), text.slice(ends)],
        [text.slice(0, ends + 2), text.slice(ends + 2)],
      ]) {
        const out = redact(pieces, [secret]);
        // A beginning that is too short to hold its line back may be visible, and nothing else of the secret.
        const shown = [head.length > 3 && out.includes(head), tail.length > 1 && out.includes(tail)];
        expect([text, ...shown]).toEqual([text, false, false]);
        expect(out).toMatch(/ here\r?\n?next\r?\n?$/u);
      }
    }
  });

  test.each(['', '\n', '\r\n'])('and one that ends as it begins shows nothing of itself before %j', (end) => {
    const text = `no key hunter2hunter2${end}`;
    for (const pieces of [[text], words(text), Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte))])
      expect(redact(pieces, ['hunter2hunter2'])).toBe(`no key ${MASK}${end}`);
  });

  test('by more than one', () => {
    const text = `a\nEntry-\nvalue-\n0123456789\nb\n`;
    for (const pieces of [[text], words(text), text.split(/(?<=\n)/u)])
      expect(redact(pieces, [secret])).toBe(`a\n${MASK}\n${MASK}\n${MASK}\nb\n`);
  });

  test('and once more in the line behind it', () => {
    const text = `a Entry-\nvalue-0123456789, b Entry-value-01\r23456789 c\n`;
    for (let at = 0; at <= text.length; at++)
      expect(redact([text.slice(0, at), text.slice(at)], [secret])).toBe(`a ${MASK}\n${MASK}, b ${MASK}\r${MASK} c\n`);
  });

  test('also when somebody looks in the middle of it', () => {
    const text = `a Entry-\nvalue-01\r23456789 here\nnext\n`;
    for (let at = 0; at <= text.length; at++) {
      const out: string[] = [];
      const redactor = new StderrRedactor(textRedactor({ secrets: [new Secret(secret)] }), (bytes) => {
        out.push(bytes.toString());
      });
      for (const piece of [text.slice(0, at), text.slice(at)]) {
        redactor.push(Buffer.from(piece));
        redactor.flush();
      }
      expect([at, out.join('')]).toEqual([at, expect.not.stringMatching(/Entry|value|456/u)]);
      expect(out.join('')).toMatch(/next\n$/u);
    }
  });

  test('and a line that only begins like one is told with the next, or without that when somebody looks', () => {
    expect(redact(['it says Entry-v\n'], [secret])).toBe(`it says ${MASK}\n`);
    expect(redact(['it says Entry-v\n', 'no\n'], [secret])).toBe('it says Entry-v\nno\n');
    expect(redact(['Entry\n', '\n'.repeat(100_000), 'x'], [secret])).toBe(`Entry\n${'\n'.repeat(100_000)}x`);
  });
});

describe('a private key', () => {
  const key = [
    '-----BEGIN RSA',
    ' PRIVATE KEY-----\n',
    'MIIEowIBAAKCAQEA0123\n'.repeat(30),
    'AQ==\n-----END RSA PRIVATE',
    ' KEY-----\n',
  ].join('');

  test('is masked over all of its lines, however they come', () => {
    const text = `before\n${key}after\n`;
    for (const pieces of [[text], words(text), text.split(/(?<=\n)/u), text.split(/(?<=.{7})/su)]) {
      const out = redact(pieces);
      expect(out).not.toMatch(/MII|AQ==/u);
      expect(out).toMatch(/^before\n/u);
      expect(out).toMatch(/\nafter\n$/u);
    }
  });

  test('that never ends takes no more lines with it than a key has', () => {
    const out = redact(['-----BEGIN PRIVATE', ' KEY-----\n', 'an ordinary line\n'.repeat(300)]);
    expect(out.split('an ordinary line').length).toBeGreaterThan(150);
  });
});

describe('a line without an end', () => {
  const long = 'x'.repeat(300_000);

  test('goes on, and not all of it is kept meanwhile', () => {
    const out: Buffer[] = [];
    const redactor = new StderrRedactor(textRedactor(), (bytes) => out.push(bytes));
    for (let at = 0; at < long.length; at += 10_000) redactor.push(Buffer.from(long.slice(at, at + 10_000)));
    expect(Buffer.concat(out).length).toBeGreaterThan(250_000);
    redactor.flush();
    expect(Buffer.concat(out).toString()).toBe(long);
  });

  test.each([
    ['a token', 'token=hunter2 '],
    ['a value of the entry', 'entry-value-1'],
    ['a quoted one', '{"password":"hunter2"},'],
  ])('hides %s wherever it stands', (_, secret) => {
    for (let at = 20_000; at < 80_000; at += 2_503) {
      const line = `${'x '.repeat(at / 2)}${secret}${' y'.repeat(40_000)}`;
      const pieces = line.match(/.{1,8192}/gsu)!;
      expect(redact(pieces, ['entry-value-1'])).not.toMatch(/hunter2|entry-value-1/u);
    }
  });

  test('ends where a secret in it has no end, and the next line is told again', () => {
    const out = redact([`{"token":"${'hunter2'.repeat(50_000)}`, 'hunter2'.repeat(9), '"}\nnext\n']);
    expect(out).not.toContain('hunter2');
    expect(out.length).toBeLessThan(1_000);
    expect(out).toMatch(/\nnext\n$/u);
  });
});

test('no flood makes it slow: eight times as much never takes the square of that', () => {
  const units = [
    'token=',
    '"token":"',
    'a ',
    '\r',
    '\n',
    '-----BEGIN PRIVATE KEY-----\n',
    '\u001b[31m',
    'é',
    'password: x\n',
    'aaaa\n',
    'aaaa\r\n\n',
  ];
  const slow = units.flatMap((unit) => {
    const time = (length: number): number => {
      const pieces = unit.repeat(length / unit.length).match(/.{1,65536}/gsu)!;
      const start = computedMs();
      redact(pieces, ['a'.repeat(500)]);
      return computedMs() - start;
    };
    time(70_000);
    const [short, long] = [Math.min(time(70_000), time(70_000)), time(560_000)];
    return long > 1000 && long > short * 30 ? [`${JSON.stringify(unit)}: ${short} ms, ${long} ms`] : [];
  });
  expect(slow).toEqual([]);
});
