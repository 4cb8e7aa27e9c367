import { expect, test } from 'vitest';
import { type Case, readCase, readImportText, toOutcome } from './test-case.js';

const cases: Readonly<Record<string, Case>> = {
  'Codex names variables instead of values, and counts in seconds': {
    host: 'codex',
    text: `
model = "gpt-5.5"
# the servers
[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
env_vars = ["LOCAL_TOKEN", { name = "REMOTE", source = "local" }]
cwd = "/srv"
startup_timeout_sec = 20
tool_timeout_sec = 45.5
enabled_tools = ["search"]
disabled_tools = ["write"]
default_tools_approval_mode = "prompt"

[mcp_servers.context7.env]
MY_ENV_VAR = "value"

[mcp_servers.context7.tools.search]
approval_mode = "approve"

[mcp_servers."figma remote"]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Region" = "eu", "X-Literal" = "\${PLAIN}" }
env_http_headers = { "X-Key" = "FIGMA_KEY", "x-region" = "REGION" }
http_headers_helper = "helper --json"
scopes = ["read"]
enabled = false
required = true
added = 2026-01-02T03:04:05Z
`,
    entries: {
      context7: {
        command: 'npx',
        args: ['-y', '@upstash/context7-mcp'],
        inheritEnv: ['LOCAL_TOKEN', 'REMOTE'],
        cwd: '/srv',
        startTimeout: 20_000,
        timeout: 45_500,
        includeTools: ['search'],
        excludeTools: ['write'],
        env: { MY_ENV_VAR: 'value' },
      },
      'figma remote': {
        url: 'https://mcp.figma.com/mcp',
        headers: {
          Authorization: 'Bearer ${FIGMA_TOKEN}',
          'X-Region': 'eu',
          'X-Literal': '${PLAIN}',
          'X-Key': '${FIGMA_KEY}',
        },
        headersHelper: 'helper --json',
        oauth: { scopes: ['read'] },
        disabled: true,
        added: '2026-01-02T03:04:05.000Z',
      },
    },
    lost: {
      context7: ['"default_tools_approval_mode"', '"tools"'],
      'figma remote': ['"env_http_headers.x-region" is left out', '"required"'],
    },
    notes: { 'figma remote': ['variable PLAIN'] },
    kept: { 'figma remote': ['added'] },
  },
  'Codex may know who it is at an authorization server, and where the browser comes back': {
    host: 'codex',
    text: `
mcp_oauth_callback_port = 4321

[mcp_servers.own]
url = "https://own.example/mcp"
required = false
[mcp_servers.own.oauth]
client_id = "codex-own"
callback_url = "http://localhost:5678/callback"

[mcp_servers.shared]
url = "https://shared.example/mcp"
oauth_resource = "https://other.example"
startup_timeout_ms = 500
name = "Shared"
scopes = ["read"]
[mcp_servers.shared.oauth]
client_id = "codex-shared"

[mcp_servers.elsewhere]
url = "https://elsewhere.example/mcp"
bearer_token = "literal"
oauth = { client_id = "e", callback_url = "https://relay.example/cb" }

[mcp_servers.anyport]
url = "https://anyport.example/mcp"
oauth = { client_id = "a", callback_url = "http://127.0.0.1/callback" }

[mcp_servers.unnamed]
url = "https://unnamed.example/mcp"
`,
    entries: {
      own: { url: 'https://own.example/mcp', oauth: { clientId: 'codex-own', callbackPort: 5678 } },
      shared: {
        url: 'https://shared.example/mcp',
        startTimeout: 1000,
        oauth: { scopes: ['read'], clientId: 'codex-shared', callbackPort: 4321 },
      },
      elsewhere: {
        url: 'https://elsewhere.example/mcp',
        headers: { Authorization: 'Bearer literal' },
        oauth: { clientId: 'e' },
      },
      anyport: { url: 'https://anyport.example/mcp', oauth: { clientId: 'a' } },
      unnamed: { url: 'https://unnamed.example/mcp' },
    },
    lost: { shared: ['"oauth_resource"'], elsewhere: ['"oauth.callback_url" is left out'] },
    notes: { anyport: ['register that for your client'] },
  },
  'Goose fills variables of the entry into headers, with and without braces': {
    host: 'goose',
    text: `
extensions:
  api:
    type: streamable_http
    uri: https://api.example/$TENANT/mcp
    envs: { TENANT: acme, REGION: "eu" }
    env_keys: [API_TOKEN]
    headers:
      Authorization: Bearer $API_TOKEN
      X-Region: "\${REGION}"
      X-Other: "\${ OTHER }"
      X-Price: "$5"
  local:
    type: stdio
    cmd: sh
    args: [-c, "serve \${LEVEL} \${HOME}"]
    envs: { LEVEL: debug }
`,
    entries: {
      api: {
        type: 'http',
        url: 'https://api.example/acme/mcp',
        headers: {
          Authorization: 'Bearer ${API_TOKEN}',
          'X-Region': 'eu',
          'X-Other': '${OTHER}',
          'X-Price': '$5',
        },
      },
      local: { type: 'stdio', command: 'sh', args: ['-c', 'serve ${LEVEL} ${HOME}'], env: { LEVEL: 'debug' } },
    },
    notes: { api: ['"API_TOKEN" in its keyring', 'variable OTHER'], local: ['variable HOME'] },
  },
  'Goose has parts of its own beside servers, and keeps secrets in a keyring': {
    host: 'goose',
    text: `
GOOSE_PROVIDER: anthropic
extensions:
  developer:   # comes with Goose
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  todo:
    type: platform
    enabled: true
  github:
    name: GitHub
    description: null
    cmd: npx
    args: [-y, "@modelcontextprotocol/server-github"]
    enabled: true
    env_keys: [GITHUB_TOKEN]
    envs: { LEVEL: "debug" }
    timeout: 300
    bundled: null
    available_tools: []
    type: stdio
  asana: &base
    enabled: false
    type: streamable_http
    uri: https://mcp.asana.com/mcp
    headers:
      Authorization: Bearer \${ASANA}
    env_keys: []
    available_tools: [search]
  events:
    type: sse
    uri: https://events.example/sse
    socket: /run/x.sock
`,
    entries: {
      github: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', LEVEL: 'debug' },
        timeout: 300_000,
      },
      asana: {
        type: 'http',
        url: 'https://mcp.asana.com/mcp',
        headers: { Authorization: 'Bearer ${ASANA}' },
        disabled: true,
        includeTools: ['search'],
      },
      events: { type: 'sse', url: 'https://events.example/sse' },
    },
    lost: { events: ['"socket"'] },
    notes: { github: ['GITHUB_TOKEN'], asana: ['variable ASANA'] },
    problems: ['"developer" is skipped: it is built into Goose', '"todo" is skipped'],
  },
  'an empty file of Codex holds no servers': { host: 'codex', text: '', entries: {} },
  'an empty file of Goose holds no servers': { host: 'goose', text: '# nothing yet\n', entries: {} },
};

test.each(Object.entries(cases))('%s', async (_title, given) => {
  expect(await readCase(given)).toEqual(toOutcome(given));
});

const SECRET = 'sk-live-0123456789';
const deep = (open: string, count: number, close = ''): string => open.repeat(count) + close.repeat(count);
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, index) => {
    const before = `*${'abcdefgh'[index]}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join(', ')}]`;
  }),
].join('\n');

/** A text that cannot be used, the message for it, and the line where it is known. */
const broken: readonly [string, string, string, RegExp, number?][] = [
  ['half-written TOML', 'codex', `[mcp_servers.x]\ncommand = "npx"\nargs = ["${SECRET}",\n`, /is not TOML/u, 4],
  ['a TOML value without quotes', 'codex', `a = 1\n\ntoken = ${SECRET}\n`, /is not TOML/u, 3],
  ['a TOML table that stands twice', 'codex', '[a]\nb = 1\n[a]\n', /redefine/u, 3],
  ['TOML arrays in arrays', 'codex', `a = ${deep('[', 5000, ']')}`, /nested/u, 1],
  ['a TOML key of many parts', 'codex', `${'a.'.repeat(5000)}b = 1`, /nested deeper than 64/u],
  ['YAML with a tab for an indent', 'goose', `extensions:\n\tx: ${SECRET}\n`, /is not YAML/u, 2],
  ['YAML with a key that stands twice', 'goose', 'a: 1\nb: 2\na: 3\n', /duplicate key/u, 3],
  ['YAML with two documents', 'goose', 'a: 1\n---\nb: 2\n', /multiple docs/u, 2],
  ['a YAML list', 'goose', `- ${SECRET}\n`, /expected named fields/u],
  ['YAML nested as lists', 'goose', deep('- ', 20_000), /is not YAML|nested/u, 1],
  ['YAML nested as braces', 'goose', deep('[', 20_000), /is not YAML|nested/u, 1],
  ['YAML nested just over the limit', 'goose', `a: ${deep('[', 65, ']')}`, /nested deeper than 64/u],
  ['a YAML alias bomb', 'goose', bomb, /alias/u],
  ['a YAML alias in itself', 'goose', 'a: &a [*a]\n', /nested deeper than 64/u],
  ['thousands of YAML aliases', 'goose', `a: &a 1\nb: [${'*a, '.repeat(5000)}]\n`, /more than 100 aliases/u],
  ['few YAML aliases of much', 'goose', `a: &a [${'1, '.repeat(40_000)}]\nb: [${'*a, '.repeat(90)}]\n`, /values/u],
  ['a YAML alias of nothing', 'goose', 'a: *nothing\n', /is not YAML/u],
];

test.each(broken)(
  '%s is a problem that names its place and shows none of the text',
  async (_title, host, text, says, line) => {
    const { source } = await readImportText(host, text);
    expect(source.entries).toEqual([]);
    expect(source.problems).toHaveLength(1);
    const [problem] = source.problems;
    expect(problem).toMatchObject({ severity: 'error', code: 'malformed', file: '/the/file' });
    expect(problem!.message).toMatch(says);
    expect(problem!.line).toBe(line);
    expect(JSON.stringify(problem)).not.toContain(SECRET);
    expect(JSON.stringify(problem).length).toBeLessThan(1000);
  },
);

test('YAML tags make nothing but plain values', async () => {
  const { source } = await readImportText(
    'goose',
    'extensions:\n  x: !!js/function "function () {}"\n  y: !custom { cmd: a }\n',
  );
  expect(source.entries.map(({ name, entry }) => [name, entry])).toEqual([
    ['x', 'function () {}'],
    ['y', { command: 'a' }],
  ]);
});
