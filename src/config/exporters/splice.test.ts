import { describe, expect, test } from 'vitest';
import type { ForeignFormat } from '../importers/importer.js';
import { type SplicedServer, openForeignText } from './splice.js';

const paths = { json: ['mcpServers'], toml: ['mcp_servers'], yaml: ['extensions'] } as const;
const one: SplicedServer = ['one', { command: 'x', env: { A: '1' } }];

interface Change {
  readonly added?: readonly SplicedServer[];
  readonly replaced?: readonly SplicedServer[];
}

async function write(format: ForeignFormat, text: string, change: Change): Promise<string> {
  const foreign = await openForeignText(format);
  return foreign.write(text, { path: paths[format], added: [], replaced: [], ...change });
}

describe('TOML: a table is added at the end, and the rest stays byte for byte', () => {
  const table = '[mcp_servers.one]\ncommand = "x"\n\n[mcp_servers.one.env]\nA = "1"\n';
  test.each([
    ['an empty file', '', table],
    ['a file without a final line end', 'model = "o"', `model = "o"\n\n${table}`],
    ['comments, odd blanks and other tables', '# mine\n\nmodel="o" # why\n[ a . b ]\nx = [\n 1, # one\n]\n', undefined],
    [
      'texts over several lines that look like tables',
      'a = """\n[mcp_servers.one]\n"""\nb = \'\'\'\n[x]\n\'\'\'\n',
      undefined,
    ],
    ['an explicit parent', '[mcp_servers]\n[mcp_servers.two]\ncommand = "y"\n', undefined],
  ])('%s', async (_, before, after) => {
    expect(await write('toml', before, { added: [one] })).toBe(after ?? `${before}\n${table}`);
  });

  test('line ends of Windows', async () => {
    expect(await write('toml', 'a = 1\r\n', { added: [['b', { command: 'x' }]] })).toBe(
      'a = 1\r\n\r\n[mcp_servers.b]\r\ncommand = "x"\r\n',
    );
  });

  test('a table is replaced with its parts, and comments around it stay', async () => {
    const before = `# top
[mcp_servers."one"] # old
command = "old"
args = [
  "]", # [mcp_servers.two]
]
# about two
[mcp_servers.two]
command = "y"

[mcp_servers.one.env]
B = '''
[mcp_servers.two]
'''
# end
[tail]
x = 1
`;
    expect(await write('toml', before, { replaced: [['one', { command: 'new' }]] })).toBe(`# top
[mcp_servers.one]
command = "new"
# about two
[mcp_servers.two]
command = "y"

# end
[tail]
x = 1
`);
  });

  test.each([
    ['an inline table of all servers', 'mcp_servers = { two = { command = "y" } }\n', { added: [one] }],
    ['a server in one line', '[mcp_servers]\none = { command = "y" }\n', { replaced: [one] }],
    ['a server with dotted keys', 'mcp_servers.one.command = "y"\n', { replaced: [one] }],
  ])('%s is refused', async (_, before, change) => {
    await expect(write('toml', before, change)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('Plugboard cannot write "one" below "mcp_servers"') as string,
    });
  });
});

describe('YAML: an entry is added to its block, and the rest stays byte for byte', () => {
  const entry = '  one:\n    command: x\n    env:\n      A: "1"\n';
  test.each([
    ['an empty file', '', `extensions:\n${entry}`],
    ['comments alone', '# mine\n', `# mine\nextensions:\n${entry}`],
    ['other keys, without a final line end', 'A:   1 # why', `A:   1 # why\nextensions:\n${entry}`],
    ['a block with nothing in it', 'extensions: # mine\nB: 2\n', `extensions: # mine\n${entry}B: 2\n`],
    ['an empty map', 'extensions: {}\nB: 2\n', `extensions:\n${entry}B: 2\n`],
    [
      'a block in the middle, with comments behind',
      'A: 1\nextensions:\n    two: # old\n        cmd: y # here\n# about B\nB: |\n  text\n',
      'A: 1\nextensions:\n    two: # old\n        cmd: y # here\n    one:\n      command: x\n      env:\n        A: "1"\n# about B\nB: |\n  text\n',
    ],
  ])('%s', async (_, before, after) => {
    expect(await write('yaml', before, { added: [one] })).toBe(after);
  });

  test('line ends of Windows', async () => {
    expect(await write('yaml', 'extensions:\r\n  a:\r\n    cmd: y\r\n', { added: [['b', { cmd: 'x' }]] })).toBe(
      'extensions:\r\n  a:\r\n    cmd: y\r\n  b:\r\n    cmd: x\r\n',
    );
  });

  test('an entry is replaced, and comments around it stay', async () => {
    const before =
      'extensions:\n  # first\n  one:\n    cmd: old\n    envs:\n      A: 1\n  # second\n  two:\n    cmd: y\n';
    expect(await write('yaml', before, { replaced: [['one', { cmd: 'new' }]] })).toBe(
      'extensions:\n  # first\n  one:\n    cmd: new\n  # second\n  two:\n    cmd: y\n',
    );
  });

  test.each([
    ['a flow map', 'extensions: { two: { cmd: y } }\n', { added: [one] }],
    ['the whole file in braces', '{ A: 1 }\n', { added: [one] }],
    ['an alias', 'a: &a { two: { cmd: y } }\nextensions: *a\n', { added: [one] }],
    ['an entry that others refer to', 'extensions:\n  one: &o\n    cmd: y\n  two: *o\n', { replaced: [one] }],
    ['an end mark', 'A: 1\n...\n', { added: [one] }],
  ])('%s is refused', async (_, before, change) => {
    await expect(write('yaml', before, change)).rejects.toMatchObject({ code: 'config-invalid' });
  });
});

test('JSON: comments, order and unknown keys stay', async () => {
  const before =
    '{\n  // mine\n  "z": 1,\n  "mcpServers": {\n    "two": { "command": "y" }, // two\n  },\n  "a": null\n}\n';
  const after = await write('json', before, {
    added: [['one', { command: 'x' }]],
    replaced: [['two', { command: 'n' }]],
  });
  expect(after).toBe(
    '{\n  // mine\n  "z": 1,\n  "mcpServers": {\n    "two": {\n      "command": "n"\n    }, // two\n    "one": {\n      "command": "x"\n    },\n  },\n  "a": null\n}\n',
  );
});
