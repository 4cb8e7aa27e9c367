import { expect, test } from 'vitest';
import { parseArguments, wantsJson } from './arguments.js';
import type { Verb } from '../verb.js';

const run: Verb['run'] = async () => ({ data: {}, text: '' });
const verbs: readonly Verb[] = [
  {
    name: 'put',
    aliases: ['p'],
    usage: 'NAME -- COMMAND',
    summary: 'takes a command',
    takesCommand: true,
    options: [
      {
        name: 'scope',
        short: 's',
        value: 'SCOPE',
        choices: ['here', 'there'],
        refusals: { moon: 'Not to the moon' },
        summary: '',
      },
      { name: 'env', short: 'e', value: 'K=V', repeatable: true, summary: '' },
    ],
    run,
  },
  { name: 'take', usage: 'NAME', summary: 'takes names', options: [{ name: 'all', short: 'a', summary: '' }], run },
  { name: 'secret', usage: '', summary: 'nobody is told', hidden: true, run },
  { name: 'list', aliases: ['status'], usage: '', summary: 'shows all', run },
];

/** `expected`: `verb positionals [command] flags`, or the error message and its hint. */
function check(line: string, expected: string): void {
  expect(understand(line.split(' ').filter(Boolean))).toBe(expected);
}

function understand(args: readonly string[], known = verbs): string {
  try {
    const parsed = parseArguments(args, known);
    if (parsed.kind === 'version') return 'version';
    if (parsed.kind === 'help') return `help ${parsed.verb?.name ?? 'of all'}`;
    const { invocation } = parsed;
    const { verb, positionals, command } = invocation;
    const flags = ['json', 'cwd', 'quiet', 'scope', 'env', 'all']
      .filter((flag) => invocation.has(flag))
      .map((flag) => `${flag}=${invocation.values(flag).join('+')}`);
    return [verb.name, ...positionals, ...(command ? [`[${command.join(' ')}]`] : []), ...flags].join(' ');
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return `${message} | ${hint}`;
  }
}

test.each([
  ['put x', 'put x'],
  ['p x', 'put x'],
  ['--json put x', 'put x json='],
  ['--cwd put put x', 'put x cwd=put'],
  ['put --cwd=a x --json', 'put x json= cwd=a'],
  ['--cwd a --cwd b put', 'put cwd=a+b'],
  ['put -e A=1 -e B=2 x', 'put x env=A=1+B=2'],
  ['put -eA=1 x', 'put x env=A=1'],
  ['put x -- y --json -- z', 'put x [y --json -- z]'],
  ['put x --', 'put x []'],
  ['put -- --help', 'put [--help]'],
  ['take -- -x --json', 'take -x --json'],
  ['take a -- b', 'take a b'],
  ['take -a x', 'take x all='],
  ['put -s here x', 'put x scope=here'],
  ['put --scope=there x', 'put x scope=there'],
  ['put --cwd=--json x', 'put x cwd=--json'],
  ['take -', 'take -'],
  ['secret', 'secret'],
  ['status', 'list'],
  ['mcp', 'list'],
  ['mcp --json', 'list json='],
  ['mcp put x', 'put x'],
  ['--json mcp --cwd a take x', 'take x json= cwd=a'],
  ['mcp put -s here x -- mcp list', 'put x [mcp list] scope=here'],
  ['take mcp', 'take mcp'],
])('%s is understood', check);

test.each([
  ['', 'help of all'],
  ['--help', 'help of all'],
  ['-h', 'help of all'],
  ['help', 'help of all'],
  ['help take', 'help take'],
  ['help --json', 'help of all'],
  ['help --json take', 'help take'],
  ['--json help take', 'help take'],
  ['take --help', 'help take'],
  ['take x -h --json', 'help take'],
  ['mcp --help', 'help of all'],
  ['mcp help', 'help of all'],
  ['help mcp', 'help of all'],
  ['mcp help take', 'help take'],
  ['mcp take --help', 'help take'],
  ['mcp --version', 'version'],
  ['--version', 'version'],
  ['-v', 'version'],
])('%s asks for help or the version', check);

test.each([
  ['tak', "unknown command 'tak' | Did you mean: plugboard take"],
  ['mcp tak', "unknown command 'tak' | Did you mean: plugboard take"],
  ['mcp mcp list', "unknown command 'mcp' | plugboard --help"],
  [
    'mcp add-from-claude-desktop',
    "unknown command 'add-from-claude-desktop' | Did you mean: plugboard import claude-desktop",
  ],
  ['sekret', "unknown command 'sekret' | plugboard --help"],
  ['--json', 'no command in "--json" | plugboard --help'],
  ['-- put', 'no command in "-- put" | plugboard --help'],
  ['take --jsn', "unknown option '--jsn' | Did you mean --json?"],
  ['take -z', "unknown option '-z' | plugboard take --help"],
  ['take --json=1', '--json takes no value | Write --json alone'],
  ['take --cwd', '--cwd needs a value | Write --cwd DIR'],
  ['take --cwd --json x', '--cwd needs a value | Write --cwd DIR'],
  ['put -e -- x', '-e needs a value | Write -e K=V'],
  ['put -s her x', '-s must be one of: here, there; got her | Did you mean -s here?'],
  ['put -s mars x', '-s must be one of: here, there; got mars | Write -s here'],
  ['put -s moon x', 'Not to the moon | -s takes one of: here, there'],
  ['put x -y', "unknown option '-y' | plugboard put --help"],
  [
    'put x npx -y',
    "unknown option '-y' | If -y belongs to the server's command, put -- before the command: plugboard put x -- npx -y",
  ],
])('%s is refused with what to write instead', check);

const withSession: readonly Verb[] = [
  {
    name: 'session',
    usage: '',
    summary: 'talks',
    options: [
      { name: 'print', short: 'p', summary: '' },
      { name: 'scope', value: 'WORD', summary: '' },
    ],
    run,
  },
  { name: 'take', aliases: ['t'], usage: 'NAME', summary: 'takes names', run },
];

test.each([
  ['', 'session'],
  ['--json', 'session json='],
  ['--scope take', 'session scope=take'],
  ['session --scope x', 'session scope=x'],
  ['-p', 'session'],
  ['-p take', 'session take'],
  ['-p take x --json', 'session take x json='],
  ['--json -p hello', 'session hello json='],
  ['--scope x -p hello', 'session hello scope=x'],
  ['hello --print', 'session hello'],
  ['-p -- --json', 'session --json'],
  ['-p --help', 'help session'],
  ['--help', 'help of all'],
  ['take x', 'take x'],
  ['help -p', 'help of all'],
  ['-p help', 'session help'],
])('with a verb that needs no name, %s is understood', (line, expected) => {
  expect(understand(line.split(' ').filter(Boolean), withSession)).toBe(expected);
});

test.each([
  ['-p -5', 'unknown option \'-5\' | If this begins the prompt, put -- before the prompt: plugboard -p -- "..."'],
  ['take -p', "unknown option '-p' | plugboard take --help"],
  ['t x -p', "unknown option '-p' | plugboard take --help"],
  ['-- x', 'no command in "-- x" | plugboard --help'],
  ['--scop x', "unknown command 'x' | plugboard --help"],
])('with a verb that needs no name, %s is refused', (line, expected) => {
  expect(understand(line.split(' ').filter(Boolean), withSession)).toBe(expected);
});

test('a sentence in place of a command is shown the way to a model', () => {
  expect(understand(['what is new'], withSession)).toContain('put -p before the prompt');
  expect(understand(['what is new'], verbs)).toContain('plugboard --help');
});

test.each([
  [['-p', 'x', '--json'], true],
  [['-p', 'x', '--output-format', 'json'], true],
  [['-p', 'x', '--output-format=json'], true],
  [['-p', 'x', '--output-format', 'stream-json'], false],
  [['call', '--', '--json'], false],
])('whether %j wants JSON: %s', (args, expected) => {
  expect(wantsJson(args)).toBe(expected);
});
