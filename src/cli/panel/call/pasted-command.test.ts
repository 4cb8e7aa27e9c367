import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/any-character.js';
import { toArguments } from '../../../actions/calls/tool-arguments.js';
import { pastedCommand } from './pasted-command.js';

const inputSchema = {
  type: 'object',
  properties: {
    n: { type: 'number' },
    s: { type: 'string' },
    either: { type: ['string', 'number'] },
    b: { type: 'boolean' },
    o: {},
  },
};

type Input = Readonly<Record<string, unknown>>;

function commandOf(input: Input, [server, tool] = ['notes', 'add'] as readonly [string, string]): string {
  return pastedCommand({ server, tool, name: `mcp__${server}__${tool}`, input, inputSchema });
}

/** The words that a shell hands to `plugboard`, and nothing else that the shell did. */
function wordsIn(shell: readonly string[], command: string): readonly string[] {
  const [program = '', ...flags] = shell;
  const script = `plugboard() { printf '%s\\0' "$@"; }; ${flags.includes('-i') ? '\nset -H\n' : ''}${command}`;
  const env = { PATH: '/nowhere', HOME: '/nowhere' };
  return execFileSync(program, flags, {
    encoding: 'utf8',
    input: `${script}\n`,
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
  })
    .split('\0')
    .slice(0, -1);
}

function readText(path: string): Promise<string> {
  return Promise.reject(new Error(`it would read ${path}`));
}

/** The arguments that `plugboard call` makes of the words. */
async function readBack(words: readonly string[]): Promise<Input> {
  const at = words.indexOf('--args');
  const given = at === -1 ? { words: words.slice(2), json: undefined } : { words: [], json: words[at + 1] };
  const { input, misfit } = await toArguments({ ...given, begun: {}, readText }, inputSchema);
  expect(misfit).toBeUndefined();
  return input;
}

const SHELLS = [['/bin/sh'], ['/bin/bash'], ['/bin/bash', '--norc', '--noprofile', '-i']] as const;

async function check(input: Input): Promise<void> {
  const command = commandOf(input);
  expect(command).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  for (const shell of SHELLS) {
    const words = wordsIn(shell, command);
    expect(words.slice(0, 2)).toEqual(['call', 'notes.add']);
    expect(await readBack(words)).toEqual(input);
  }
}

const hostile = [
  `it's "quoted"`,
  '$(touch /tmp/owned) `id` ${HOME} $HOME',
  'a\nb; rm -rf ~\r\n',
  '!! !$ !1 ^a^b',
  '--help',
  '-rf',
  '@/etc/passwd',
  '~/x *.ts ? [a] {a,b} > out < in | cat & # no',
  '\\ \\\\ \\n',
  '\u0000\u0007\u001B]0;owned\u0007\u009B2J',
  'naïve 日本語 👩‍💻 \u202Ereversed\u2028line',
  '\ud800 alone',
  '',
  ' ',
  '=:=',
  "'",
];

test.each(hostile)('a shell runs nothing of %j, and the tool gets it unchanged', (text) => check({ s: text, o: text }));

test('other types, odd names and texts that look like another type are what they are', async () => {
  await check({ n: -12, b: true });
  await check({ n: 1e300, b: false });
  await check({ n: 2 ** 60, o: -0.5 });
  expect(commandOf({ n: 2, b: true, s: '2' })).toBe('plugboard call notes.add n=2 b=true s=2');
  await check({ n: 1.5, either: '12', o: { deep: ["it's", null, true] }, s: 'true' });
  await check({ 'a=b': 1, '--args': "x'y", '': 'empty', '$(x)': '`y`' });
  await check({ s: 'x', __proto__x: 1 });
  await check({});
});

test('any arguments come back as they were', async () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.oneof(fc.constantFrom('s', 'o', 'x.y'), fc.string()), value), async (raw) => {
      const input = JSON.parse(JSON.stringify(raw)) as Input;
      expect(await readBack(wordsIn(SHELLS[0], commandOf(input)))).toEqual(input);
    }),
    { numRuns: 60 },
  );
});

test('a name that a shell or Plugboard would read as something else is written in another way', () => {
  expect(commandOf({}, ['notes', 'add'])).toBe('plugboard call notes.add');
  expect(commandOf({}, ['-x', 'y'])).toBe('plugboard call mcp__-x__y');
  expect(wordsIn(SHELLS[0], commandOf({ s: 'a' }, ['a b$(id)', '\u001B[2J']))).toHaveLength(3);
});
