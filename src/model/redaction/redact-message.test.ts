import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { MASK, Secret } from '../../base/secret.js';
import { CUT_KEY, messageRedactor, type RedactorOptions } from './redact-message.js';
import { isSteep } from '../../../test/cpu-time.js';

const HOME = '/home/jane';
const secrets = ['hunter2-and-more', 'Bearer fedcba98-76543210', 'pin4', 'true', 'ab', 'quo"ted value', '483920'].map(
  (value) => new Secret(value),
);
const redact = messageRedactor({ secrets, home: HOME });

/** Checks one value inside a message. */
function check(value: unknown, expected: unknown): void {
  const message = { jsonrpc: '2.0', id: 1, result: { structuredContent: value } };
  const before = structuredClone(message);
  expect(redact(message)).toEqual({ jsonrpc: '2.0', id: 1, result: { structuredContent: expected } });
  expect(message).toEqual(before);
  // Redacting twice changes nothing: a value recorded in a request and again in a response has to look the same.
  expect(redact({ jsonrpc: '2.0', id: 1, result: { structuredContent: expected } })).toEqual(redact(message));
}

describe('what stands under the name of a credential is masked', () => {
  test.each([
    ['authorization'],
    ['Authorization'],
    ['Proxy-Authorization'],
    ['token'],
    ['access_token'],
    ['refreshToken'],
    ['GITHUB_TOKEN'],
    ['apiKey'],
    ['api_key'],
    ['APIKEY'],
    ['X-Api-Key'],
    ['AWS_SECRET_ACCESS_KEY'],
    ['password'],
    ['dbPassword'],
    ['passwd'],
    ['pwd'],
    ['passphrase'],
    ['secret'],
    ['clientSecret'],
    ['Set-Cookie'],
    ['cookies'],
    ['private_key'],
    ['credentials'],
    ['jwt'],
    ['backendToken'],
    ['exchange_token'],
    ['auth'],
  ])('%s', (key) => check({ deep: [{ [key]: 'x y z' }] }, { deep: [{ [key]: MASK }] }));

  test.each([
    ['progressToken'],
    ['nextCursor'],
    ['nextPageToken'],
    ['next_token'],
    ['pagetoken'],
    ['continuationToken'],
    ['tokens'],
    ['maxTokens'],
    ['max_tokens'],
    ['tokenType'],
    ['tokenizer'],
    ['key'],
    ['publicKey'],
    ['primaryKey'],
    ['author'],
    ['authorization_endpoint'],
    ['secretary'],
    ['bypass'],
    ['oauth'],
  ])('but not under %s', (key) => check({ [key]: 'x y z' }, { [key]: 'x y z' }));

  test('numbers and whole trees are masked, switches and empty texts are not', () => {
    check(
      { password: 1234, credentials: { user: 'jane', list: ['a', 2, null] }, secret: true, token: '', cookie: null },
      { password: MASK, credentials: { user: MASK, list: [MASK, MASK, null] }, secret: true, token: '', cookie: null },
    );
  });

  test('a list of headers or variables counts, too', () => {
    check(
      [
        { name: 'Authorization', value: 'x' },
        { key: 'API_KEY', value: 'y' },
        { name: 'Accept', value: 'z' },
      ],
      [
        { name: 'Authorization', value: MASK },
        { key: 'API_KEY', value: MASK },
        { name: 'Accept', value: 'z' },
      ],
    );
  });

  test('a schema that describes a password stays a schema, without the examples', () => {
    const token = { type: 'string', description: 'Your token', default: 'abc', examples: ['def'], minLength: 3 };
    check(
      { inputSchema: { type: 'object', properties: { token, password: {} }, required: ['token'] } },
      {
        inputSchema: {
          type: 'object',
          properties: { token: { ...token, default: MASK, examples: [MASK] }, password: {} },
          required: ['token'],
        },
      },
    );
    check(
      { properties: { password: 'x', secret: { a: 'b' } } },
      { properties: { password: MASK, secret: { a: MASK } } },
    );
  });
});

/** Assembled here, so that secret scanners do not report this file. */
const forms: Readonly<Record<string, readonly string[]>> = {
  AWS: ['AKIA', 'IOSFODNN7EXAMPLE'],
  'GitHub, classic': ['ghp_', 'abcdefghijklmnopqrst0123456789ABCDEF'],
  'GitHub, fine-grained': ['github_pat_', '11ABCDEFG0123456789_abcdefghijklmnop'],
  GitLab: ['glpat-', 'abcdefghij0123456789'],
  Slack: ['xoxb-', '123456789012-abcdefghijkl'],
  OpenAI: ['sk-', 'abcdefghijklmnopqrstuvwxyzABCDEF0123456789'],
  'OpenAI, project': ['sk-proj-', 'abcdefghijklmnopqrst_ABC-0123456789'],
  Anthropic: ['sk-ant-', 'api03-abcdefghijklmnop_ABC-0123456789'],
  Google: ['AIza', 'SyA0123456789abcdefghijklmnopqrstuv'],
  Stripe: ['sk_live_', '0123456789abcdef'],
  npm: ['npm_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  JWT: ['eyJ', 'hbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'],
  'private key': ['-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIEow\nIBAAKCAQ==\n-----END RSA ', 'PRIVATE KEY-----'],
  'encrypted key': [
    '-----BEGIN ',
    'PRIVATE KEY-----\nDEK-Info: AES-256-CBC,A\n\nMIIE==\n-----END ',
    'PRIVATE KEY-----',
  ],
};

describe('what has the form of a credential is masked wherever it stands', () => {
  test.each(Object.entries(forms))('%s', (_, parts) => {
    const form = parts.join('');
    check(form, MASK);
    check(['a', `before ${form} behind`], ['a', `before ${MASK} behind`]);
    check({ [form]: true }, { [MASK]: true });
    check(`https://x.test/?q=${form}&r=1`, `https://x.test/?q=${MASK}&r=1`);
    const twice = JSON.stringify(JSON.stringify({ a: `line\n${form}` }));
    expect(JSON.stringify(redact({ text: twice }))).not.toContain(form.slice(-12));
  });

  test.each([
    ['Bearer xyz', `Bearer ${MASK}`],
    ['authorization: bearer abc.def', `authorization: ${MASK}`],
    ['curl -H "Authorization: Basic dXNlcjpwYXNz" x', `curl -H "Authorization: ${MASK}" x`],
    ['it was Basic dXNlcjpwYXNz', `it was Basic ${MASK}`],
    ['postgres://jane:s3cr3t@db.test:5432/x', `postgres://${MASK}@db.test:5432/x`],
    ['https://jane:p@ss@db.test/', `https://${MASK}@db.test/`],
    ['https://x.test/a?api_key=12345&b=1', `https://x.test/a?api_key=${MASK}&b=1`],
    ['DB_PASSWORD=abc def', `DB_PASSWORD=${MASK} def`],
    ['export TOKEN="a b c"; x', `export TOKEN=${MASK}; x`],
    ['run --api-key=abc --x', `run --api-key=${MASK} --x`],
    ['Cookie: a=b; c=d\nAccept: x', `Cookie: ${MASK}\nAccept: x`],
    ['db:\n  password: hunter3\n  port: 5432\n', `db:\n  password: ${MASK}\n  port: 5432\n`],
    ["const x = { password: 'a b', y: 1 }", `const x = { password: '${MASK}', y: 1 }`],
    ['the X-Api-Key: 0123456789abcdefgh was sent', `the X-Api-Key: ${MASK} was sent`],
    ['{"user":"jane","password":"a\\"b","x":1}', `{"user":"jane","password":"${MASK}","x":1}`],
    ['{\\"token\\": \\"a\\\\\\"b\\", \\"x\\": 1}', `{\\"token\\": \\"${MASK}\\", \\"x\\": 1}`],
    ['{"password":"cut off', `{"password":"${MASK}`],
  ])('%s', (text, expected) => check(text, expected));

  test.each([
    ['Use a Bearer token, or Basic authentication.'],
    ['a task-management-system-for-teams, sk-learn-pipeline-builder'],
    ['The token: it is counted. Passwords are stored elsewhere: see below'],
    ['https://x.test/a/b?page=2#c and mailto:jane@x.test'],
    ['eyJwYWdlIjoyLCJvZmZzZXQiOjEwMH0='],
    ['a.b.c eyJ.x.y 1.2.3'],
    ['SELECT key, value FROM t WHERE id = 3'],
    ['iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'],
  ])('%s stays', (text) => check(text, text));
});

describe('the values of the entry are masked', () => {
  test.each([
    ['a hunter2-and-more b', `a ${MASK} b`],
    ['xhunter2-and-morex', `x${MASK}x`],
    ['got fedcba98-76543210 here', `got ${MASK} here`],
    ['pin4, (pin4) but not pin45 or spin4', `${MASK}, (${MASK}) but not pin45 or spin4`],
    ['it is true, abba', 'it is true, abba'],
    ['q=quo%22ted%20value', `q=${MASK}`],
    ['{"a":"quo\\"ted value"}', `{"a":"${MASK}"}`],
  ])('%s', (text, expected) => check(text, expected));

  test('as a number, too', () => check([483920, 48392], [MASK, 48392]));

  test('and never in what holds a message together', () => {
    const careful = messageRedactor({ secrets: [new Secret('tools'), new Secret('2.0'), new Secret('tools/call')] });
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x' } };
    expect(careful(message)).toEqual(message);
  });
});

describe('the home folder becomes ~', () => {
  test.each([
    ['/home/jane/x', '~/x'],
    ['file:///home/jane/x and /home/jane', 'file://~/x and ~'],
    ['/home/janet/x', '/home/janet/x'],
    ['"cwd":"\\n/home/jane"', '"cwd":"\\n~"'],
  ])('%s', (text, expected) => check(text, expected));

  test.each([
    ['C:\\Users\\Jane Doe\\x', '~\\x'],
    ['"C:\\\\Users\\\\Jane Doe\\\\x"', '"~\\\\x"'],
    ['file:///c:/Users/Jane%20Doe/x', 'file:///~/x'],
  ])('%s on Windows', (text, expected) => {
    expect(messageRedactor({ home: 'C:\\Users\\Jane Doe' })([text])).toEqual([expected]);
  });

  test('unless it is the root of everything', () => {
    expect(messageRedactor({ home: '/' })(['/a/b'])).toEqual(['/a/b']);
  });
});

describe('a message is kept small', () => {
  const LIMIT = 60_000;
  const small = (message: unknown, options: RedactorOptions = {}): string =>
    JSON.stringify(messageRedactor({ limit: LIMIT, ...options })(message));

  test.each<[what: string, message: unknown]>([
    ['one long text', { id: 5, result: { text: 'x'.repeat(1_000_000), isError: true }, jsonrpc: '2.0' }],
    ['a long text of wide characters', { id: 5, result: { text: '\u0001€😀'.repeat(100_000), isError: true } }],
    ['many texts', { id: 5, result: { isError: true, list: Array.from({ length: 10_000 }, () => 'some text') } }],
    [
      'many fields',
      {
        result: { isError: true, ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field${i}`, i])) },
        id: 5,
      },
    ],
    ['long names', { id: 5, result: { isError: true, ['n'.repeat(100_000)]: 1, ['m'.repeat(100_000)]: 1 } }],
  ])('%s', (_, message) => {
    const text = small(message);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
    expect(JSON.parse(text)).toMatchObject({ id: 5, result: { isError: true } });
    expect(text.length).toBeGreaterThan(2_000);
  });

  test('a text that was cut says so, and how long it was', () => {
    expect(JSON.parse(small({ result: 'ab'.repeat(500_000) }))).toEqual({
      result: { [CUT_KEY]: { kind: 'text', length: 1_000_000, start: expect.stringMatching(/^(?:ab){6000,}a?$/u) } },
    });
  });

  test('no cut goes through a secret and leaves half of it', () => {
    const secret = 'S3cret-'.repeat(40);
    const token = `ghp_${'a1B2'.repeat(9)}`;
    for (let before = 13_300; before < 13_650; before += 7) {
      const text = small(
        { result: `${'x'.repeat(before)} ${secret}${token}${'y'.repeat(90_000)}` },
        { secrets: [new Secret(secret)] },
      );
      expect(text).not.toMatch(/S3c|ghp_/u);
    }
  });

  test('what goes round in circles, throws or is no JSON is survived', () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle['self'] = [circle, circle];
    expect(small({ circle }).length).toBeLessThanOrEqual(LIMIT);
    const odd = {
      date: new Date(0),
      big: 12n,
      fn: () => 1,
      list: [undefined, Symbol('x')],
      get bad(): string {
        throw new Error('no');
      },
    };
    expect(small(odd)).toBe(JSON.stringify({ [CUT_KEY]: { kind: 'unreadable' } }));
    const { bad: _, ...rest } = Object.getOwnPropertyDescriptors(odd);
    expect(small(Object.defineProperties({}, rest))).toBe(
      '{"date":"1970-01-01T00:00:00.000Z","big":"12","list":[null,null]}',
    );
    expect(small(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    expect(small(JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`))).toContain('"depth"');
  });
});

const alphabets = {
  base62: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'.split(''),
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.split(''),
};
const letters = (alphabet: keyof typeof alphabets, length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabets[alphabet]), minLength: length, maxLength: length });
const planted = fc.oneof(
  letters('base62', 36).map((rest) => `ghp_${rest}`),
  letters('base62', 48).map((rest) => `sk-ant-${rest}`),
  letters('upper', 16).map((rest) => `AKIA${rest}`),
  letters('base62', 24).map((rest) => `xoxp-${rest}`),
  fc.tuple(letters('base62', 20), letters('base62', 40), letters('base62', 43)).map((parts) => `eyJ${parts.join('.')}`),
  fc.constant('hunter2-and-more'),
);
/** Text around a secret that does not make it part of a longer word. */
const around = fc.string({ unit: fc.constantFrom(...' \n"\'\\/:=,;{}[]()&?%éx1'.split(''), '😀'), maxLength: 12 });
const spot = fc
  .tuple(around, planted, around)
  .map(([before, secret, behind]) => ({ text: `${before} ${secret} ${behind}`, secret }));

/** The smallest input that breaks the property, or null. */
function counterexample<T>(property: fc.IProperty<T>): T | null {
  return fc.check(property, { numRuns: 2_000 }).counterexample;
}

test('whatever stands around it, a secret that was planted in a message is not in what is recorded', () => {
  const property = fc.property(
    fc.jsonValue({ maxDepth: 4 }),
    spot,
    fc.nat({ max: 3 }),
    (value, { text, secret }, quotings) => {
      let quoted = text;
      for (let times = 0; times < quotings; times++) quoted = JSON.stringify({ note: quoted });
      const message = { jsonrpc: '2.0', id: 1, result: { value, list: [quoted, { [text]: text, deep: [[quoted]] }] } };
      return !JSON.stringify(redact(message)).includes(secret);
    },
  );
  expect(counterexample(property)).toBeNull();
});

test('a password under its name is not in what is recorded, however often the JSON around it was quoted', () => {
  const password = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }).map((rest) => `Zq${rest}7Xw`);
  const key = fc.constantFrom('password', 'apiKey', 'access_token', 'CLIENT_SECRET', 'authorization');
  const property = fc.property(password, key, fc.nat({ max: 3 }), (secret, name, quotings) => {
    let value: unknown = { [name]: secret, other: 'kept' };
    for (let times = 0; times < quotings; times++) value = { text: JSON.stringify(value) };
    const text = JSON.stringify(redact({ jsonrpc: '2.0', id: 1, result: value }));
    return !text.includes('7Xw') && text.includes('kept');
  });
  expect(counterexample(property)).toBeNull();
});

test('anything at all can be given to it, and what comes out is JSON of bounded size', () => {
  const tight = messageRedactor({ secrets, home: HOME, limit: 40_000 });
  const property = fc.property(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
    (value) => {
      const text = JSON.stringify({ message: tight(value) });
      return Buffer.byteLength(text) <= 40_020;
    },
  );
  expect(counterexample(property)).toBeNull();
});

test('no text makes it slow: eight times as much never takes the square of that', () => {
  const units = [
    'eyJ',
    'eyJ-',
    'eyJ.',
    '.',
    '-',
    'sk-',
    'AKIA',
    '://',
    '://a:',
    '@',
    '"token":"',
    '\\"token\\":\\"',
    "'",
    '\\',
    'a=',
    'a.b-',
    'token: ',
    ' ',
    '\n',
    'x',
    'Bearer ',
    '-----BEGIN PRIVATE KEY-----',
    '/home/jan',
    'Cookie:',
    'token="',
  ];
  const slow = units.flatMap((unit) => {
    return isSteep((length) => redact({ text: unit.repeat(length / unit.length) })) ? [unit] : [];
  });
  expect(slow).toEqual([]);
});
