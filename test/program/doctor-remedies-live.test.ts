import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { HANG_GUARD_MS } from '../hang-guard.js';
import { FAR_MS } from './late-clock.js';
import { untilThere } from './live-servers.js';
import { broken, type BrokenEntry, type BrokenPlaces, checkRemedies, openBrokenPlaces } from './broken-entries.js';

const node = (script: string, more: object = {}): object => ({ command: 'node', args: ['-e', script], ...more });

test('a process that ends says what to install, to write or to start', async () => {
  const places = await openBrokenPlaces();
  const env = { npm_config_registry: places.registry, FNM_DIR: '/fnm', MCP_TIMEOUT: String(HANG_GUARD_MS) };
  await checkRemedies(processes(places), { env });
});

function processes({ dead, busy }: BrokenPlaces): Readonly<Record<string, BrokenEntry>> {
  const unreached = { npm_config_registry: `http://127.0.0.1:${dead}/`, npm_config_fetch_retries: '0' };
  const NEWER = 'fnm install --lts; or write the full path of another one into "command"';
  const oldNode = `The server needs a newer Node.js than ${process.version}. Install one: ${NEWER}`;
  return {
    'npx 404': broken(
      'exited',
      { command: 'npx', args: ['-y', '@nobody/no-such-server@1.2'] },
      'npm knows no package "@nobody/no-such-server". Correct "args"; look for it: npm search @nobody/no-such-server; if the package is private: npm login',
    ),
    'npx offline': broken(
      'exited',
      { command: 'npx', args: ['-y', 'some-server'], env: unreached },
      'npm cannot reach its registry. Check the connection and the address: npm ping; npm config get registry',
    ),
    'npx without a program': broken(
      'exited',
      { command: 'npx', args: ['-y', './nobin'] },
      'The package has no program of that name. See which it has: npm view ./nobin bin; then write "args": ["-y", "-p", "./nobin", "PROGRAM"]',
    ),
    'a missing package': broken(
      'exited',
      { command: 'node', args: ['needs.mjs'] },
      'Install the packages it needs: cd PROJECT && npm install @modelcontextprotocol/no-sdk',
    ),
    'a package that is listed': broken(
      'exited',
      { command: 'node', args: ['listed/server.cjs'] },
      'Install the packages it needs: cd PROJECT/listed && npm install',
    ),
    'a package that is only claimed': broken(
      'exited',
      { command: 'node', args: ['-e', "console.error(`Error: Cannot find module 'evil-package'`); process.exit(1)"] },
      /^Run the server by hand: node -e /u,
    ),
    'a missing script': broken(
      'exited',
      { command: 'node', args: ['nowhere/index.js'] },
      'There is no such file: correct "nowhere/index.js" in "args". See what is there: ls PROJECT',
    ),
    'a script that is not built': broken(
      'exited',
      { command: 'node', args: ['unbuilt/dist/index.js'] },
      'The server is not built yet: cd PROJECT/unbuilt && npm install && npm run build',
    ),
    'a tilde in a script': broken(
      'exited',
      { command: 'node', args: ['~/server.js'] },
      'Only a shell knows what ~ is. Write "${HOME}/server.js" in "args"',
    ),
    'a variable of the shell': broken(
      'exited',
      { command: 'node', args: ['$HOME/server.js'] },
      'Only a shell knows what $NAME is. Write "${HOME}/server.js" in "args"',
    ),
    'a script of Windows': broken(
      'exited',
      { command: 'node', args: ['C:\\x\\server.js'] },
      'That is a path of Windows, and this is linux: correct "args"',
    ),
    'a newer module of node': broken('exited', node("require('node:no_such_builtin')"), oldNode),
    'a newer export of node': broken('exited', { command: 'node', args: ['new-export.mjs'] }, oldNode),
    'a newer global of node': broken('exited', node("throw new ReferenceError('File is not defined')"), oldNode),
    'a newer flag of node': broken(
      'exited',
      { command: 'node', args: ['--no-such-flag', 'needs.mjs'] },
      `Take --no-such-flag out of "args", or install a Node.js that knows it: ${NEWER}`,
    ),
    'a syntax error': broken(
      'exited',
      { command: 'node', args: ['future.mjs'] },
      'Mend the script; or, if it is written for a newer Node.js, install one. See: node --check PROJECT/future.mjs',
    ),
    TypeScript: broken(
      'exited',
      { command: 'node', args: ['server.ts', '-v'] },
      'The script is TypeScript. Write "command": "npx", "args": ["-y", "tsx", "server.ts", "-v"]',
    ),
    'a module of Python': broken(
      'exited',
      { command: 'python3', args: ['-m', 'no_such_server'] },
      'Install the module for this Python, by its package name: python3 -m pip install no_such_server',
    ),
    'an import of Python': broken(
      'exited',
      { command: 'python3', args: ['imports.py'] },
      'Install the module for this Python, by its package name: python3 -m pip install mcp_nope',
    ),
    'a Python of its own': broken(
      'exited',
      { command: 'python3', args: ['owned/server.py'] },
      'Start the server with its own Python. Write "command": "PROJECT/owned/.venv/bin/python"',
    ),
    'a syntax error of Python': broken(
      'exited',
      { command: 'python3', args: ['broken.py'] },
      'Mend the script; or, if it is written for a newer Python, start it with that one. See: python3 -m py_compile PROJECT/broken.py',
    ),
    'uvx without a package': broken(
      'exited',
      { command: 'uvx', args: ['no-such-server'] },
      'There is no package "no-such-server" that can be installed here. Correct "args"; if it is published elsewhere: "args": ["--from", "git+https://...", "no-such-server"]',
    ),
    'uvx without a program': broken(
      'exited',
      { command: 'uvx', args: ['other-name'] },
      'The package has no program of that name. Write "args": ["--from", "other-name", "right-name"]',
    ),
    'docker that does not run': broken(
      'exited',
      { command: 'docker', args: ['run', '-i', '--rm', 'x/y'] },
      'Docker is not running. Start it: sudo systemctl start docker',
    ),
    'docker without its image': broken(
      'exited',
      { command: 'docker', args: ['run', '-i', '-e', 'A', 'not/there'] },
      'The image does not exist, or you may not pull it: docker login; docker pull not/there',
    ),
    'docker with a terminal': broken(
      'exited',
      { command: 'docker', args: ['run', '-it', '--rm', 'x/y'] },
      'A server has no terminal. Write "args": ["run", "-i", "--rm", "x/y"]',
    ),
    'docker without input': broken(
      'exited',
      { command: 'docker', args: ['run', '--rm', 'quiet'] },
      'Without -i the server gets no input. Write "args": ["run", "-i", "--rm", "quiet"]',
    ),
    'another machine': broken(
      'exited',
      { command: './wrongarch' },
      `The program was built for another machine. Install the build for linux ${process.arch}; see what it is: file ./wrongarch`,
    ),
    'a variable that it wants': broken(
      'exited',
      node("console.error('Error: ACME_API_KEY environment variable is required'); process.exit(1)"),
      'The server needs the variable ACME_API_KEY. Write "env": { "ACME_API_KEY": "${ACME_API_KEY}" }, and set it: export ACME_API_KEY=...',
    ),
    'a variable that it does not get': broken(
      'exited',
      node("console.error('FNM_DIR is not set'); process.exit(1)"),
      'Servers do not see your environment. To pass this variable to the server, write "env": { "FNM_DIR": "${FNM_DIR}" }',
    ),
    'a variable that is not set': broken(
      'exited',
      node("console.error('bad token'); process.exit(1)", { env: { TOKEN: '${NO_SUCH_VARIABLE}' } }),
      'Set the variable that env.TOKEN needs: export NO_SUCH_VARIABLE=...',
    ),
    'a port that is taken': broken(
      'exited',
      node(`require('http').createServer().listen(${busy}, '127.0.0.1')`),
      `Another program uses port ${busy}: end that program, or give the server another port. See which: ss -ltnp 'sport = :${busy}'`,
    ),
    'a database that is away': broken(
      'exited',
      node(`require('net').connect(${dead}, '127.0.0.1')`),
      `The server needs a service at 127.0.0.1:${dead}, and nothing listens there: start that service first, or correct "args" or "env"`,
    ),
    'a file that is away': broken(
      'exited',
      node("require('fs').readFileSync('/no/such.json')"),
      'The server does not find /no/such.json: correct "args", "env" or "cwd". See: ls /no',
    ),
    'arguments that it does not take': broken(
      'exited',
      { command: 'sh', args: ['-c', 'echo "usage: server --db DB" >&2; exit 2'] },
      'The server rejects its arguments: correct "args", as its output says',
    ),
    'too little memory': broken(
      'exited',
      node("console.error('FATAL ERROR: JavaScript heap out of memory'); process.exit(134)"),
      'Give the server more memory: "env": { "NODE_OPTIONS": "--max-old-space-size=4096" }',
    ),
    'a program that it calls': broken(
      'exited',
      { command: 'sh', args: ['-c', 'exec no-such-program'] },
      "The server calls a program that is not on PATH: install it. To see which: sh -c 'exec no-such-program'",
    ),
    killed: broken(
      'exited',
      node("process.kill(process.pid, 'SIGKILL')"),
      "The server was killed (SIGKILL), most often for lack of memory: sudo dmesg | grep -i 'killed process'",
    ),
    'nothing said': broken('exited', node('process.exit(1)'), "Run the server by hand: node -e 'process.exit(1)'"),
    'nothing to do': broken(
      'exited',
      { command: 'true' },
      'The server exited at once with code 0 and printed no error. Is an argument missing, such as --stdio? Try: true',
    ),
    'how it wants to be called': broken(
      'stdout-noise',
      { command: 'sh', args: ['-c', 'echo "Usage: server --stdio"; exit 2'] },
      'The server rejects its arguments: correct "args", as its output says',
    ),
  };
}

const look = (url: string): string => `see what answers there: curl -i ${url}`;
const nothing = (url: string): string =>
  `No MCP server answers at that path: look up the URL in the server's documentation; ${look(url)}`;

test('a server elsewhere says what to correct, to set or to start', async () => {
  const places = await openBrokenPlaces();
  const { dead, missing, page, other, plain, encrypted, unknown, forbidden, ill, gateway, moved, circle } = places;
  const wrong = missing.replace('mcp', 'wrong');
  await checkRemedies(
    {
      refused: broken(
        'connection-refused',
        { url: `http://127.0.0.1:${dead}/mcp` },
        'Start the server, or correct host and port in "url"; then: plugboard doctor refused',
      ),
      'a wrong path': broken(
        'no-endpoint',
        { url: wrong },
        `Correct the path, often /mcp: "url": "${missing}"; ${look(wrong)}`,
      ),
      'a page': broken('http-error', { url: page }, nothing(page)),
      'another answer': broken('http-error', { url: other }, nothing(other)),
      'no TLS': broken(
        'tls-failed',
        { url: plain.replace('http:', 'https:') },
        `The server does not speak TLS. Write "url": "${plain}", or correct the port`,
      ),
      'TLS only': broken(
        'http-error',
        { url: encrypted.replace('https:', 'http:') },
        `Look at the log of the server; if its port expects TLS, write "url": "${encrypted}"`,
      ),
      'self-signed': broken('tls-untrusted', { url: encrypted }, /"tls": \{ "ca": "\/path\/to\/ca\.pem" \}/u),
      'no such host': broken(
        'dns',
        { url: 'https://nothere.invalid/mcp' },
        'Correct the host in "url"; check that it resolves: nslookup nothere.invalid',
      ),
      'signed-out': broken('needs-auth', { url: unknown }, 'plugboard login signed-out'),
      'a token that is not set': broken(
        'needs-auth',
        { url: unknown, headers: { Authorization: 'Bearer ${NO_SUCH_TOKEN}' } },
        'Set the variable that headers.Authorization needs: export NO_SUCH_TOKEN=...',
      ),
      'a token that may not': broken(
        'forbidden',
        { url: forbidden, headers: { Authorization: 'Bearer ${SHORT_TOKEN}' } },
        "The server knows the token and refuses it this: check what the token may do, the variable SHORT_TOKEN (headers.Authorization); then: plugboard doctor 'a token that may not'",
      ),
      ill: broken('http-error', { url: ill }, "The server responds with an error: look at the server's own log"),
      'a gateway': broken(
        'http-error',
        { url: gateway },
        'A proxy or gateway answers, but does not reach the server behind it: start the server itself',
      ),
      moved: broken('http-error', { url: moved }, 'If the server lives there now, write that address into its entry'),
      'in a circle': broken(
        'http-error',
        { url: circle },
        'The redirects lead in a circle: correct "url", often by adding or removing a / at its end',
      ),
    },
    { env: { SHORT_TOKEN: 'short' } },
  );
});

test('a process that does not answer says what it has nothing of, or where it listens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-said-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said = join(folder, 'said');
  await checkRemedies(
    {
      'npx alone': broken(
        'handshake-timeout',
        { command: 'npx' },
        'npx has nothing to run. Add "args": ["-y", "PACKAGE"]',
      ),
      'a server for HTTP': broken(
        'stdout-noise',
        {
          command: 'sh',
          args: ['-c', `echo Server listening on http://localhost:3000; : > '${said}'; exec sleep 600`],
        },
        /^This is an HTTP server\. Start it yourself and write "url": "http:\/\/localhost:3000\/mcp" in place of "command"; or, /u,
      ),
      slow: broken(
        'handshake-timeout',
        { command: 'sleep', args: ['600'] },
        'See what the server waits for: sleep 600; or give it more time: "startTimeout": 120000 in its entry',
      ),
    },
    { args: ['--timeout', FAR_MS], late: { at: () => untilThere(said) } },
  );
});
