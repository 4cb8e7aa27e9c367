import { describe, expect, test } from 'vitest';
import type { RawEntry } from '../transports/kind.js';
import { risksOf } from './risks.js';

/** The single place that touches the API; every test below is data. */
function check(entry: RawEntry, expected: readonly string[]): void {
  expect(risksOf(entry)).toEqual(expected);
}
const BY_PATH = 'it starts a program by its path, perhaps one of this repository';
const HIDDEN = 'it holds characters that do not show';

describe('a command that runs its argument as code says so', () => {
  test.each<[program: string, argv: readonly string[]]>([
    ['npx', ['npx', '-c', 'touch pwn']],
    ['npx', ['npx', '-y', '--call=touch pwn']],
    ['npm', ['npm', 'exec', '-c', 'touch pwn']],
    ['sh', ['sh', '-c', 'x']],
    ['bash', ['bash', '-lc', 'x']],
    ['bash', ['bash', '-ce', 'x']],
    ['bash', ['BASH.exe', '-c', 'x']],
    ['zsh', ['zsh', '-ic', 'x']],
    ['fish', ['fish', '--command=x']],
    ['node', ['node', '-e', 'x']],
    ['node', ['node', '--eval=x']],
    ['node', ['node', '-pe', 'x']],
    ['node', ['node', '--import', 'data:text/javascript,x']],
    ['node', ['node', '--require=./x.js', 'a.js']],
    ['deno', ['deno', 'eval', 'x']],
    ['bun', ['bun', '-e', 'x']],
    ['python', ['python', '-c', 'x']],
    ['python', ['python3', '-Ic', 'x']],
    ['python', ['python3.12', '-cimport os']],
    ['perl', ['perl', '-ne', 'x']],
    ['ruby', ['ruby', '-e', 'x']],
    ['php', ['php', '-r', 'x']],
    ['osascript', ['osascript', '-e', 'x']],
    ['cmd', ['cmd', '/c', 'x']],
    ['cmd', ['cmd.exe', '/K', 'x']],
    ['powershell', ['powershell', '-EncodedCommand', 'x']],
    ['powershell', ['PowerShell.exe', '-enc', 'x']],
    ['pwsh', ['pwsh', '-Command', 'x']],
    ['sh', ['env', 'A=1', 'sh', '-c', 'x']],
    ['node', ['npx', '-y', 'node', '-e', 'x']],
    ['bash', ['docker', 'run', '--entrypoint', 'bash', 'image', '-c', 'x']],
  ])('%s in %j', (program, [command, ...args]) => check({ command, args }, [`${program} runs its argument as code`]));
});

describe('an ordinary entry has no risk to tell', () => {
  test.each<RawEntry>([
    {},
    { command: 'npx', args: ['-y', '@company/server', '/home/me'] },
    { command: 'node', args: ['server.js', '--port', '3000'] },
    { command: 'uvx', args: ['server'] },
    { command: 'docker', args: ['run', '-i', '--rm', 'image'] },
    { command: 'python', args: ['-m', 'server'] },
    { command: 'constructor', args: ['-c'] },
    { command: 'npx', args: 'not a list', env: 'nor this' },
    { command: 1, args: [1, null] },
    { url: 'https://h.test/mcp', headers: { A: 'b' } },
    { command: 'npx', env: { TOKEN: 'x', MY_PATH: 'y', PATHS: 'z', HOME: '/' } },
  ])('%j', (entry) => check(entry, []));
});

describe('a variable that loads other code is named', () => {
  test.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'node_options',
    'NODE_PATH',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'PERL5OPT',
    'RUBYOPT',
    'PATH',
    'Path',
    'BASH_ENV',
    'ENV',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'npm_config_registry',
    'NPM_CONFIG_REGISTRY',
    'UV_INDEX_URL',
    'PIP_INDEX_URL',
    'DOTNET_STARTUP_HOOKS',
  ])('%s', (name) => check({ env: { [name]: 'x', OK: 'y' } }, [`env.${name} can make the program load other code`]));
});

describe('the rest', () => {
  test.each<[entry: RawEntry, risks: readonly string[]]>([
    [{ command: './server' }, [BY_PATH]],
    [{ command: '/usr/bin/node', args: ['-e', 'x'] }, ['node runs its argument as code', BY_PATH]],
    [{ command: '.\\server.exe' }, [BY_PATH]],
    [{ url: 'https://h.test', headersHelper: 'print' }, ['headersHelper runs a shell command at every connect']],
    [
      { url: 'https://h.test', oauth: { assertion: '~/.ssh/id_rsa', privateKey: './key.pem' } },
      [
        'it sends the content of ~/.ssh/id_rsa to whoever it signs in at',
        'it signs with the key in ./key.pem, in your name',
      ],
    ],
    [
      {
        url: 'https://h.test',
        oauth: { assertion: 'a.b.c', privateKey: '-----BEGIN PRIVATE KEY-----', clientId: 'x' },
      },
      [],
    ],
    [
      {
        url: 'https://h.test',
        xaa: true,
        oauth: { authServerMetadataUrl: 'https://as.test/x', allowIssuerMismatch: true, allowMissingPkce: true },
      },
      [
        'it names where you sign in, instead of the server',
        'it lets one authorization server speak for another',
        'it signs in without the protection of its codes (PKCE)',
        'your identity provider is asked to vouch for you there',
      ],
    ],
    [{ command: 'npx', args: ['a\u202eb'] }, [HIDDEN]],
    [{ command: 'n\u200bpx' }, [HIDDEN]],
    [{ url: 'https://h\u200b.test' }, [HIDDEN]],
  ])('%j', check);
});
