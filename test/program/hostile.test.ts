import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hiddenKind } from '../../src/model/text/hidden-characters.js';
import { makeSandbox, PROJECT_FILE, type RunOptions, USER_FILE } from './sandbox.js';

/** Characters of a file that must not reach a terminal. Line ends between Plugboard's own lines are fine. */
function hiddenIn(text: string): string[] {
  return Array.from(text)
    .map((character) => character.codePointAt(0)!)
    .filter((code) => code !== 0x0a && (code === 0x09 || hiddenKind(code) !== undefined))
    .map((code) => `U+${code.toString(16)}`);
}

const poisons: Readonly<Record<string, string>> = {
  'a colour': 'a\u001B[31mred\u001B[0mz',
  'a title of the window': 'a\u001B]0;owned\u0007z',
  'a clipboard write': 'a\u001B]52;c;b3duZWQ=\u001B\\z',
  'an eight-bit control sequence': 'a\u009B2Jz',
  'a carriage return': 'a\rroot',
  'a line of its own': 'a\nRemoved MCP server "b"',
  'a next line': 'a\u0085z',
  'a line separator': 'a\u2028z',
  'a tab': 'a\tz',
  'a backspace': 'a\b\b\bz',
  'a delete': 'a\u007Fz',
  'a null': 'a\u0000z',
  'a right-to-left override': 'a\u202Egnp.exe',
  'an isolate': 'a\u2066x\u2069z',
  'an arabic letter mark': 'a\u061Cz',
  'a zero width space': 'a\u200Bz',
  'a byte order mark': 'a\uFEFFz',
  'a soft hyphen': 'a\u00ADz',
  'a hangul filler': 'a\u3164z',
  'a second ascii': 'a\u{E0041}\u{E0042}z',
  'a selector that spells': 'a\uFE01\u{E0101}z',
  'half a pair': 'a\uD800z',
  'a noncharacter': 'a\uFFFEz',
};

const joined = Object.values(poisons).join(' ');

interface Place {
  readonly name?: string;
  readonly entry: unknown;
}

/** Puts the poison into every place where a file has text. */
const places: Readonly<Record<string, (poison: string) => Place>> = {
  name: (poison) => ({ name: poison, entry: { command: 'x' } }),
  command: (poison) => ({ entry: { command: poison } }),
  argument: (poison) => ({ entry: { command: 'x', args: [poison] } }),
  'name of a variable': (poison) => ({ entry: { command: 'x', env: { [poison]: '${UNSET}', PATH: poison } } }),
  folder: (poison) => ({ entry: { command: 'x', cwd: `/nowhere/${poison}` } }),
  URL: (poison) => ({ entry: { url: `https://h.example/${poison}` } }),
  'text that is no URL': (poison) => ({ entry: { url: poison } }),
  header: (poison) => ({ entry: { url: 'https://h.example', headers: { [poison]: poison } } }),
  helper: (poison) => ({ entry: { url: 'https://h.example', headersHelper: poison } }),
  type: (poison) => ({ entry: { type: poison, command: 'x' } }),
  'unknown field': (poison) => ({ entry: { command: 'x', [poison]: poison } }),
  'value of an unknown field': (poison) => ({ entry: { command: 'x', description: poison } }),
  'name of something that is no entry': (poison) => ({ name: poison, entry: 5 }),
};

type Command = readonly [args: readonly string[], options?: RunOptions];

/** Every verb that shows something of a file; the last ones change it. `name` is the server with all poisons. */
const commands = (name: string): readonly Command[] => [
  [['list', '--no-connect']],
  [['list', '--no-connect', '--approve-project-servers']],
  [['get', '--no-connect', '--', name]],
  [['get', '--no-connect', '--reveal', '--', name]],
  [['get', '--no-connect', 'nobody']],
  [['doctor']],
  [['doctor', '--approve-project-servers', '--', name]],
  [['__complete', '--', 'get', '']],
  [['approve', '--dry-run', '--all']],
  [['approve'], { answers: [] }],
  [['approve']],
  [['approve', '--', name]],
  [['disable', '--dry-run', '--', name]],
  [['disable', '--', name]],
  [['enable', '--', name]],
  [['reset-project-choices']],
  [['remove', '--', name]],
  [['remove', '-s', 'local', '--', name]],
  [['remove', '-s', 'project', '--dry-run', '--', name]],
  [['remove', '-s', 'project', '--verbose', '--', name]],
  [['import', 'cursor', '--dry-run']],
  [['import']],
];

async function check(place: (poison: string) => Place): Promise<void> {
  const entries = [...Object.values(poisons), joined].map((poison, index): [string, unknown] => {
    const { name, entry } = place(poison);
    return [name ?? `n${index}`, entry];
  });
  const servers = { mcpServers: { ...Object.fromEntries(entries), clean: { command: 'node' } } };
  const sandbox = makeSandbox({ [PROJECT_FILE]: servers, [USER_FILE]: servers, 'home/.cursor/mcp.json': servers });
  // The last entry has all poisons in it, and `list` shows every entry. The full run also tries each entry alone.
  const alone = process.env['PLUGBOARD_FULL'] === undefined ? [] : entries;
  const each = alone.map(([name]): Command => [['get', '--no-connect', '--', name]]);
  for (const [args, options] of [...each, ...commands(entries.at(-1)![0])]) {
    for (const format of [[], ['--json']]) {
      // An empty PATH saves the search for programs.
      const run = await sandbox.run([...format, ...args], { ...options, env: { PATH: '/nowhere' } });
      // Exactly one tab separates a candidate from its description.
      const stdout = args[0] === '__complete' ? run.stdout.replaceAll(/^([^\t\n]*)\t/gmu, '$1 ') : run.stdout;
      expect([args[0], ...hiddenIn(stdout), ...hiddenIn(run.stderr)]).toEqual([args[0]]);
      // A name cannot imitate a line of Plugboard's own.
      expect(`${stdout}\n${run.stderr}`.split('\n')).not.toContain('Removed MCP server "b"');
      expect(run.stderr).not.toContain('Plugboard itself failed');
    }
  }
}

test.each(Object.keys(places))('no character of a hostile %s reaches the terminal', (place) => check(places[place]!));

test('every poison of the table is one', () => {
  const harmless = Object.values(poisons).filter((poison) => hiddenIn(poison).length === 0 && !poison.includes('\n'));
  expect(harmless).toEqual([]);
});

test('a name that a shell would obey is offered by no completion, and quoted in every command to paste', async () => {
  const name = `x'; touch owned; '`;
  const sandbox = makeSandbox({
    [PROJECT_FILE]: { mcpServers: { [name]: { command: 'x' }, 'a-b': { command: 'y' } } },
  });
  expect((await sandbox.run(['__complete', '--', 'get', ''])).stdout).toBe('a-b\tproject\n');
  expect((await sandbox.run(['list', '--no-connect'])).stdout).toContain(
    String.raw`plugboard approve 'x'\''; touch owned; '\'''`,
  );
  expect((await sandbox.run(['get', '--no-connect', name])).stdout).toContain(
    String.raw`remove 'x'\''; touch owned; '\''' -s project`,
  );
});

test('in JSON a hostile name is escaped and stays what it is, so that a script can act on it', async () => {
  const name = 'a\u202Eb\u009Bc\u{E0041}';
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { [name]: { command: 'x' } } } });
  const { stdout, json } = await sandbox.run(['list', '--no-connect', '--json']);
  expect(stdout).toContain(String.raw`a\u202eb\u009bc\udb40\udc41`);
  expect(json?.data?.['servers']).toMatchObject([{ name }]);
});

test('a project folder with a hostile name is told without what it hides', async () => {
  const sandbox = makeSandbox();
  const cwd = join(sandbox.home, 'a\u001B[31m\u202Eb\nc');
  mkdirSync(cwd);
  for (const args of [
    ['add', 'x', '--', 'y'],
    ['list', '--no-connect'],
    ['disable', 'x'],
    ['reset-project-choices'],
    ['doctor'],
  ]) {
    const { stdout, stderr } = await sandbox.run(args, { cwd });
    expect(hiddenIn(stdout + stderr)).toEqual([]);
  }
});
