import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toOptionWords } from '../../src/host/options/option-words.js';
import type { Host, HostOptions, ToolRequest } from '../../src/index.js';
import { embed } from '../calls/embedded.js';
import { openScene } from '../host/scene.js';

/** Commands that are as useful to the user of another program: they write or read files. */
const KEPT = /plugboard (?:approve|trust|logs)\b[^.]*/gu;
const FLAG = /(?<![\w-])--[a-z]/u;

async function check(host: Host, request: ToolRequest, wanted: { readonly code: string; readonly hint: string }) {
  const { error, content } = await host.call(request);
  expect(error).toMatchObject({ code: wanted.code, hint: expect.stringContaining(wanted.hint) as string });
  const text = JSON.stringify(content);
  expect(text.replaceAll('\\"', '"')).toContain(wanted.hint);
  for (const words of [error!.hint!, text].map((one) => one.replaceAll(KEPT, ''))) {
    expect(words).not.toMatch(FLAG);
    expect(words).not.toMatch(/plugboard [a-z]/u);
  }
}

test('the failures that an embedder meets name options and methods', async () => {
  await using scene = openScene();
  scene.configure({ user: scene.journaling() });
  const locked = createServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  await new Promise<void>((ready) => locked.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void locked.close());
  const url = `http://127.0.0.1:${(locked.address() as AddressInfo).port}/mcp`;
  const { embedded } = embed([['a', ['one']]]).options;
  const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
  const options: HostOptions = {
    permissions: { mode: 'default' },
    embedded: embedded!,
    trustFolder: false,
    mcpServers: {
      a: { type: 'in-process', name: 'a' },
      locked: { url },
      silent: { ...silent, startTimeout: 1_000 },
      gone: { command: '/no/such/program' },
      invalid: { command: 7 as never },
    },
  };
  const { host } = await scene.open(options);
  await host.settled();
  await check(host, { name: 'mcp__a__one' }, { code: 'denied', hint: 'permissions: { allow: ["mcp__a__one"] }' });
  await check(host, { name: 'mcp__a__on' }, { code: 'unknown-tool', hint: 'Did you mean mcp__a__one?' });
  await check(host, { name: 'nonsense' }, { code: 'unknown-tool', hint: 'host.tools()' });
  await check(host, { name: 'mcp__locked__x' }, { code: 'unauthorized', hint: 'host.signIn("locked")' });
  await check(host, { name: 'mcp__gone__x' }, { code: 'unknown-tool', hint: 'host.server("gone")?.error' });
  const hintOf = (name: string): string => host.server(name)!.error!.hint;
  expect(hintOf('locked')).toContain('host.signIn("locked")');
  expect(hintOf('silent')).toContain('"startTimeout"');
  expect(hintOf('invalid')).toBe('host.problems says more');
  expect(host.problems).toMatchObject([{ server: 'invalid', file: 'mcpServers' }]);
  expect(() => host.fork({ servers: ['zzz'] })).toThrow(
    expect.objectContaining({ hint: 'host.servers() shows which there are' }),
  );
  for (const { error } of host.servers()) expect(error?.hint.replaceAll(KEPT, '') ?? '').not.toMatch(FLAG);
});

test('no hint that is written for the command line keeps a flag or a command in the library', () => {
  const rooms = ['auth', 'base', 'connection', 'edge', 'guard', 'host', 'model', 'tools', 'transports', 'wire'];
  const root = join(import.meta.dirname, '../../src');
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('.test.') && !/diagnos|option-words/u.test(file))
      .map((file) => join(root, room, file)),
  );
  const own = /--(?:timeout|allow|deny|ask|cwd|trust-folder|verbose|json|record|device|scope|client-id|mcp-\w+)\b/u;
  const left: string[] = [];
  let seen = 0;
  for (const file of files) {
    for (const [, , literal = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:hint|login|where)\b.*?(['`])(.*?[^\\])\1/gu,
    )) {
      const written = literal.replaceAll(/\$\{[^}]*\}/gu, 'name');
      if (!own.test(written) && !written.includes('plugboard ')) continue;
      seen++;
      const words = toOptionWords(written).replaceAll(KEPT, '');
      if (own.test(words) || /plugboard [a-z]/u.test(words)) left.push(`${file}: ${words}`);
    }
  }
  expect(left).toEqual([]);
  expect(seen).toBeGreaterThan(25);
});

test.each([
  ['plugboard login srv', 'host.signIn("srv")'],
  ["plugboard login 'my server' --scope 'a b'", 'host.signIn("my server", { scopes: [...] })'],
  ['plugboard list', 'host.servers()'],
  ['plugboard tools shows which there are', 'host.tools() shows which there are'],
  ['plugboard doctor says more', 'host.servers() says more'],
  ['plugboard approve srv', 'plugboard approve srv, or open the host with approveProject: true'],
  ['plugboard trust /a/b', 'plugboard trust /a/b, or open the host with trustFolder: true'],
  ['See why: plugboard doctor srv', 'See why: host.server("srv")?.error'],
  [
    'plugboard permissions mcp__a__b shows where that is written',
    'host.permission("mcp__a__b") shows where that is written',
  ],
  [
    'Give it more time with --timeout MS or "timeout" in its entry',
    'Give it more time with timeoutMs in the request, or "timeout" in its entry',
  ],
  ['Nothing to change here', 'Nothing to change here'],
])('%s', (hint, words) => {
  expect(toOptionWords(hint)).toBe(words);
});
