import { describe, expect, test } from 'vitest';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { parseEntry } from '../../transports/kinds.js';
import { importers } from './all.js';
import { readImportText, where } from './test-case.js';

const keys: Readonly<Record<string, string>> = {
  vscode: 'servers',
  codex: 'mcp_servers',
  opencode: 'mcp',
  zed: 'context_servers',
  goose: 'extensions',
};

/** Every field that a rule knows; each is tried with a value of every wrong type. */
const fields = (
  'type command args env cwd url headers headersHelper timeout oauth trust disabled includeTools excludeTools auth envFile ' +
  'dev gallery env_vars bearer_token_env_var http_headers env_http_headers http_headers_helper startup_timeout_sec ' +
  'tool_timeout_sec enabled enabled_tools disabled_tools scopes tools httpUrl environment source settings serverUrl ' +
  'cmd envs env_keys uri available_tools socket alwaysAllow transportType constructor toString'
).split(' ');
const values: readonly unknown[] = [
  null,
  0,
  -1.5,
  true,
  false,
  '',
  'text',
  [],
  [null],
  [[1]],
  {},
  { a: null },
  { name: {} },
];

const wrap = (host: string, servers: unknown): RawEntry => ({ [keys[host] ?? 'mcpServers']: servers });

describe.each(importers.map((importer) => [importer.host, importer] as const))('%s', (host, importer) => {
  test('never throws on a value of the wrong type, and leaves it for validation', () => {
    for (const field of fields) {
      for (const value of values) {
        const raw = { [field]: value };
        const { entry, lost } = importer.toEntry(raw, { inputs: value, servers: value });
        expect(() => parseEntry(entry)).not.toThrow();
        expect(JSON.stringify(lost).length).toBeLessThan(2000);
      }
    }
  });

  test('reads entries that are no objects, and names like those on Object.prototype', () => {
    const servers: unknown = JSON.parse(
      '{"__proto__": {"command": "a"}, "constructor": null, "list": [], "text": "x", "": {"__proto__": {"url": 1}}}',
    );
    const found = importer.parseFile(wrap(host, servers), where);
    expect(found.entries.map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'list', 'text', '']);
    const raw = found.entries[4]!.raw;
    const { entry } = importer.toEntry(isObject(raw) ? raw : {}, {});
    expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
    expect(Object.keys(entry)).toEqual(['__proto__']);
  });

  test.each([[[]], ['text'], [7], [null]])('says what is wrong when the servers are %j', (servers) => {
    const { entries, remarks } = importer.parseFile(wrap(host, servers), where);
    expect(entries).toEqual([]);
    expect(remarks).toMatchObject([
      { severity: 'error', message: expect.stringContaining('expected an object of servers') },
    ]);
  });

  test('finds nothing in a file about something else', () => {
    expect(importer.parseFile({ theme: 'dark', projects: [], mcp_: {} }, where)).toEqual({ entries: [], remarks: [] });
  });
});

test('a broken line of JSON is named by its number', async () => {
  const { source } = await readImportText('cursor', '{\n  "mcpServers": {\n    "a": oops\n  }\n}');
  expect(source.problems).toMatchObject([{ code: 'malformed', line: 3 }]);
});

test('no sentence and no problem repeats a value', async () => {
  const secret = 'ghp_0123456789abcdef';
  const servers = {
    a: { command: 'x', env: { T: secret }, envFile: secret, dev: secret, foo: secret, auth: secret, type: secret },
  };
  for (const { host, format } of importers) {
    if (format !== 'json') continue;
    const { source } = await readImportText(host, JSON.stringify(wrap(host, servers)));
    expect(JSON.stringify([source.problems, source.entries.map(({ lost, kept }) => [lost, kept])])).not.toContain(
      secret,
    );
  }
});
