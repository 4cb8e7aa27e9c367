import { chmodSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Finding } from '../../src/host/diagnose.js';
import { holdClosedPort } from '../closed-port.js';
import { makeIdentity } from '../faults/certificates.js';
import { listen } from '../faults/network-fixtures.js';
import { makeSandbox, type RunOptions } from './sandbox.js';

/** An entry that does not work, and what `doctor` reports about it. */
export interface BrokenEntry {
  readonly entry: unknown;
  readonly code: string;
  /** The exact hint; a pattern where the hint holds something that differs from run to run. */
  readonly hint: string | RegExp;
}

export function broken(code: string, entry: unknown, hint: string | RegExp): BrokenEntry {
  return { entry, code, hint };
}

/** Runs `doctor` once over all entries and checks that each has its own code and hint. */
export async function checkRemedies(
  entries: Readonly<Record<string, BrokenEntry>>,
  { env = {}, args = [], ...options }: Pick<RunOptions, 'env' | 'late'> & { readonly args?: readonly string[] } = {},
): Promise<void> {
  const files = Object.entries(brokenFiles).map(([path, text]) => [`home/code/app/${path}`, text]);
  const programs = Object.entries(standIns).map(([name, text]) => [`bin/${name}`, text]);
  const sandbox = makeSandbox(Object.fromEntries([...files, ...programs]));
  for (const path of executable) chmodSync(join(sandbox.project, path), 0o755);
  for (const name of Object.keys(standIns)) chmodSync(join(sandbox.root, 'bin', name), 0o755);
  const written = Object.entries(entries).map(([name, { entry }]) => [name, entry]);
  sandbox.write('home/code/app/broken.json', { mcpServers: Object.fromEntries(written) });
  chmodSync(join(sandbox.project, 'broken.json'), 0o600);
  const PATH = `${join(sandbox.root, 'bin')}:${process.env['PATH']}`;
  const run = await sandbox.run(['doctor', '--json', '--mcp-config', 'broken.json', ...args], {
    ...options,
    env: { ...env, PATH },
  });
  const findings = run.json?.data?.['findings'] as readonly Finding[];
  const told = Object.keys(entries).map((name) => {
    const finding = findings.find(({ server, severity }) => server === name && severity === 'error');
    const { hint } = entries[name]!;
    const isMatch = hint instanceof RegExp && hint.test(finding?.hint ?? '');
    return [name, finding?.code, isMatch ? hint : finding?.hint];
  });
  expect(told).toEqual(Object.entries(entries).map(([name, { code, hint }]) => [name, code, hint]));
}

const answering = async (answer: RequestListener): Promise<string> => {
  const { port } = await listen(createHttpServer(answer));
  return `http://127.0.0.1:${port}/mcp`;
};

const status = (code: number, headers: Record<string, string> = {}, body = ''): Promise<string> =>
  answering((request, response) => {
    request.resume();
    response.writeHead(code, headers).end(body);
  });

/** Addresses of servers that fail in different ways. */
export interface BrokenPlaces {
  readonly dead: number;
  readonly busy: number;
  readonly registry: string;
  readonly missing: string;
  readonly page: string;
  readonly other: string;
  readonly plain: string;
  readonly encrypted: string;
  readonly unknown: string;
  readonly forbidden: string;
  readonly ill: string;
  readonly gateway: string;
  readonly moved: string;
  readonly circle: string;
}

export async function openBrokenPlaces(): Promise<BrokenPlaces> {
  const dead = await holdClosedPort();
  onTestFinished(() => dead[Symbol.dispose]());
  const { cert, key } = makeIdentity({ name: 'x', hosts: ['127.0.0.1'] });
  const { port } = await listen(createHttpsServer({ cert, key }, (_request, response) => void response.end()));
  return {
    dead: dead.port,
    busy: (await listen(createHttpServer())).port,
    registry: (await status(404, { 'content-type': 'application/json' }, '{"error":"Not found"}')).replace('mcp', ''),
    missing: await status(404),
    page: await status(200, { 'content-type': 'text/html' }, '<html><title>Sign in</title></html>'),
    other: await status(200, { 'content-type': 'application/json' }, '{"status":"ok"}'),
    plain: await status(200),
    encrypted: `https://127.0.0.1:${port}/mcp`,
    unknown: await status(401, { 'www-authenticate': 'Bearer' }),
    forbidden: await status(403),
    ill: await status(500),
    gateway: await status(502),
    moved: await status(302, { location: 'https://example.com/login' }),
    circle: await answering((request, response) => {
      request.resume();
      response.writeHead(307, { location: '/mcp' }).end();
    }),
  };
}

/** Files of the project that the entries name. */
const brokenFiles: Readonly<Record<string, string>> = {
  'needs.mjs': "import '@modelcontextprotocol/no-sdk/server.js';\n",
  'listed/server.cjs': "require('zod-nope');\n",
  'listed/package.json': '{ "dependencies": { "zod-nope": "1" } }',
  'future.mjs': 'const a = 1 |> 2;\n',
  'server.ts': 'enum A { x }\n',
  'new-export.mjs': "import { noSuchThing } from 'node:fs';\nnoSuchThing;\n",
  'unbuilt/package.json': '{ "scripts": { "build": "tsc" } }',
  'nobin/package.json': '{ "name": "nobin", "version": "1.0.0" }',
  'imports.py': 'import mcp_nope\n',
  'owned/server.py': 'import mcp_nope\n',
  'owned/.venv/bin/python': '',
  'broken.py': 'match x:\n  case\n',
  'plain.sh': '#!/bin/sh\n',
  'script.py': 'print(1)\n',
  'folder/x': '',
  // An ELF header for MIPS, on which these tests never run.
  wrongarch: '\u007FELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\u0002\0\u0008\0',
  'no-interpreter': '#!/no/such/interpreter\n',
  'windows-script': '#!/bin/sh\r\necho hi\r\n',
};

const executable: readonly string[] = ['wrongarch', 'no-interpreter', 'windows-script'];

/** Fake programs that print the error messages of the real ones, which are not installed here. */
const standIns: Readonly<Record<string, string>> = {
  uvx: `#!/bin/sh
if [ "$1" = other-name ]; then
  echo 'An executable named \`other-name\` is not provided by package \`other-name\`.' >&2
  echo 'The following executables are available:' >&2
  echo '- right-name' >&2
else
  echo '  × No solution found when resolving tool dependencies:' >&2
  echo "  ╰─▶ Because $1 was not found in the package registry and you require $1, we can conclude that your requirements are unsatisfiable." >&2
fi
exit 1
`,
  docker: `#!/bin/sh
case "$*" in
  *not/there*) echo "docker: Error response from daemon: pull access denied for not/there, repository does not exist or may require 'docker login'." >&2 ;;
  *-it*) echo 'the input device is not a TTY' >&2 ;;
  *quiet*) exit 0 ;;
  *) echo 'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2 ;;
esac
exit 125
`,
};
