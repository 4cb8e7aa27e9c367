import { test } from 'vitest';
import { broken, checkRemedies } from './broken-entries.js';

test('an entry that cannot be read says what to write in its place', () =>
  checkRemedies({
    'no scheme': broken('invalid-entry', { url: 'example.com/mcp' }, 'Put https:// in front of it, or http://'),
    'a port for a scheme': broken(
      'invalid-entry',
      { url: 'localhost:3000/mcp' },
      'Put https:// in front of it, or http://',
    ),
    'a socket as http': broken('invalid-entry', { type: 'http', url: 'wss://example.com/mcp' }, 'Write "type": "ws"'),
    cmd: broken('invalid-entry', { cmd: 'node' }, 'Rename "cmd" to "command"'),
    serverUrl: broken('invalid-entry', { serverUrl: 'https://example.com/mcp' }, 'Rename "serverUrl" to "url"'),
    httpUrl: broken('invalid-entry', { httpUrl: 'https://example.com/mcp' }, 'Rename "httpUrl" to "url"'),
    'a word of another host': broken(
      'invalid-entry',
      { type: 'local', command: 'node' },
      'The entry has a "command": write "type": "stdio", or leave "type" out',
    ),
    'an unknown type': broken(
      'invalid-entry',
      { type: 'streaming', url: 'https://example.com/mcp' },
      'The entry has a "url": write "type": "http", or leave "type" out',
    ),
    'a URL as stdio': broken(
      'invalid-entry',
      { type: 'stdio', url: 'https://example.com/mcp' },
      'The entry has a "url": write "type": "http", or leave "type" out',
    ),
    'a command as http': broken(
      'invalid-entry',
      { type: 'http', command: 'node' },
      'The entry has a "command": write "type": "stdio", or leave "type" out',
    ),
    'args as a text': broken('invalid-entry', { command: 'node', args: '-e 1' }, 'Write ["..."], each word by itself'),
    'a command as a list': broken(
      'invalid-entry',
      { command: ['node', 'x.js'] },
      'Write its first word as "command": "...", and the others as "args": ["...", "..."]',
    ),
    'env as a list': broken(
      'invalid-entry',
      { command: 'node', env: ['A=1'] },
      'Write "env": { "NAME": "value" }, one pair for each',
    ),
    'headers as a list': broken(
      'invalid-entry',
      { url: 'https://example.com', headers: ['A: b'] },
      'Write "headers": { "Name": "value" }, one pair for each',
    ),
    'a number in env': broken('invalid-entry', { command: 'node', env: { PORT: 3000 } }, 'Put it into quotes: "3000"'),
    'a switch in quotes': broken(
      'invalid-entry',
      { command: 'node', disabled: 'false' },
      'Write true or false, without quotes',
    ),
    'seconds for milliseconds': broken(
      'invalid-entry',
      { command: 'node', timeout: 30 },
      'The unit is milliseconds: write 30000',
    ),
    nothing: broken(
      'invalid-entry',
      {},
      'Add "command": "..." for a program of this machine, or "url": "https://..." for a server elsewhere',
    ),
    both: broken(
      'invalid-entry',
      { command: 'node', url: 'https://example.com' },
      'Add "type": "stdio" or "type": "http", or remove one of the two',
    ),
  }));

test('a command that leads to no program says what to write, to install or to allow', () =>
  checkRemedies({
    'npx and its package': broken(
      'command-not-found',
      { command: 'npx @x/y' },
      'Write each word by itself: "command": "npx", "args": ["@x/y"]',
    ),
    'node and its script': broken(
      'command-not-found',
      { command: 'node server.js', args: ['--port', '3'] },
      'Write each word by itself: "command": "node", "args": ["server.js", "--port", "3"]',
    ),
    'a path and its arguments': broken(
      'command-not-found',
      { command: '/bin/sh "my server.sh" --quiet' },
      'Write each word by itself: "command": "/bin/sh", "args": ["my server.sh", "--quiet"]',
    ),
    'a secret in a line': broken(
      'command-not-found',
      { command: 'npx server --token ghp_0123456789abcdef0123' },
      'Write each word by itself: "command": "npx", and put the words after it at the start of "args"',
    ),
    'a variable in front': broken(
      'command-not-found',
      { command: 'DEBUG=1 node server.js' },
      'Put DEBUG into "env". Write "command": "node", "args": ["server.js"]',
    ),
    'a tilde': broken(
      'command-not-found',
      { command: '~/bin/x' },
      'Only a shell expands ~. Write "command": "${HOME}/bin/x"',
    ),
    'quotes inside': broken(
      'command-not-found',
      { command: '"/bin/node"' },
      'Leave out the quotes inside: "command": "/bin/node"',
    ),
    'a URL': broken(
      'command-not-found',
      { command: 'https://example.com/mcp' },
      'A server behind a URL has no command. Write in place of "command": "url": "https://example.com/mcp"',
    ),
    'a program of Windows': broken(
      'command-not-found',
      { command: 'C:\\Program Files\\nodejs\\node.exe' },
      'That is a Windows path, and this is linux. Write "command": "node"',
    ),
    'the shell of Windows': broken(
      'command-not-found',
      { command: 'cmd', args: ['/c', 'npx', '-y', 'x'] },
      'cmd is the Windows shell, and this is linux. Write "command": "npx", "args": ["-y", "x"]',
    ),
    'cd and a command': broken(
      'command-not-found',
      { command: 'cd', args: ['/srv', '&&', 'node', 'x.js'] },
      'cd belongs to a shell. Write "cwd": "/srv", "command": "node", "args": ["x.js"]',
    ),
    'a word of the shell': broken(
      'command-not-found',
      { command: 'source', args: ['venv/bin/activate', '&&', 'serve'] },
      'source belongs to a shell. Write "command": "bash", "args": ["-c", "source venv/bin/activate && serve"]',
    ),
    'a typo': broken('command-not-found', { command: 'ndoe' }, 'Write "command": "node", or install ndoe'),
    'not installed': broken(
      'command-not-found',
      { command: 'no-such-program' },
      'Install it, or write its full path, which your terminal knows: command -v no-such-program',
    ),
    'a path to nothing': broken(
      'command-not-found',
      { command: '/bin/none/server' },
      /^Install it, or correct "command"; to see what is there: ls \/(?:usr\/)?bin$/u,
    ),
    'not executable': broken('start-failed', { command: './plain.sh' }, 'Allow it: chmod +x PROJECT/plain.sh'),
    'a script without its program': broken(
      'start-failed',
      { command: './script.py', args: ['-v'] },
      'Write "command": "python3", "args": ["./script.py", "-v"]',
    ),
    'a folder': broken(
      'start-failed',
      { command: './folder' },
      'Write a program in that folder; to list it: ls ./folder',
    ),
    'no interpreter': broken(
      'start-failed',
      { command: './no-interpreter' },
      'Install /no/such/interpreter, or name another in its first line: head -1 PROJECT/no-interpreter',
    ),
    'line ends of Windows': broken(
      'start-failed',
      { command: './windows-script' },
      "The file has Windows line ends. Remove them: sed -i 's/\\r$//' PROJECT/windows-script",
    ),
    'no folder': broken(
      'no-folder',
      { command: 'node', cwd: '/no/such/folder' },
      'mkdir -p /no/such/folder, or correct "cwd"',
    ),
    'a tilde as folder': broken(
      'no-folder',
      { command: 'node', cwd: '~/work' },
      'Only a shell expands ~. Write "cwd": "${HOME}/work"',
    ),
    'a file as folder': broken(
      'no-folder',
      { command: 'node', cwd: './plain.sh' },
      'Write the folder of that file: "cwd": "."',
    ),
  }));
