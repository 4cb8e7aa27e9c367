import { describe, expect, test } from 'vitest';
import type { RawEntry } from '../../transports/kind.js';
import { maskArguments, secretsInArguments } from '../../model/redaction/mask-arguments.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import { maskTokens } from '../../model/redaction/mask-value.js';
import { maskEntry } from './mask.js';
import { isSteep } from '../../../test/cpu-time.js';

function check(raw: RawEntry, expected: RawEntry): void {
  expect(maskEntry(raw)).toEqual(expected);
}

describe('what an entry shows', () => {
  test.each<[what: string, raw: RawEntry, expected: RawEntry]>([
    ['no value of env', { env: { TOKEN: 'abc', MODE: 'fast' } }, { env: { TOKEN: '••••', MODE: '••••' } }],
    ['an empty value', { env: { TOKEN: '' } }, { env: { TOKEN: '' } }],
    ['a reference', { env: { TOKEN: '${TOKEN}' } }, { env: { TOKEN: '${TOKEN}' } }],
    ['an input of an editor', { env: { TOKEN: '${input:api-key}' } }, { env: { TOKEN: '${input:api-key}' } }],
    ['two references', { env: { A: '${A}${B}' } }, { env: { A: '${A}${B}' } }],
    ['no default', { env: { A: '${A:-hunter2}' } }, { env: { A: '${A:-••••}' } }],
    ['an empty default', { env: { A: '${A:-}' } }, { env: { A: '${A:-}' } }],
    ['no default in a default', { env: { A: '${A:-${B:-hunter2}}' } }, { env: { A: '••••' } }],
    ['nothing beside a reference', { env: { A: '${A}hunter2' } }, { env: { A: '••••' } }],
    ['no password that looks like a reference', { env: { A: '${hunter 2!}' } }, { env: { A: '••••' } }],
    ['no header', { headers: { Authorization: 'Bearer abc' } }, { headers: { Authorization: '••••' } }],
    ['the scheme of a reference', { headers: { A: 'Bearer ${X}' } }, { headers: { A: 'Bearer ${X}' } }],
    ['the scheme of a default', { headers: { A: 'Basic ${X:-abc}' } }, { headers: { A: 'Basic ${X:-••••}' } }],
    ['no number', { env: { PIN: 1234 } }, { env: { PIN: '••••' } }],
    ['no list of env', { env: ['TOKEN=abc', 'A'] }, { env: ['••••', '••••'] }],
    ['no nested env', { env: { T: { value: 'abc' } } }, { env: { T: { value: '••••' } } }],
    ['no header of a bad form', { headers: 'Authorization: abc' }, { headers: '••••' }],
    [
      'no client secret',
      { oauth: { clientId: 'me', clientSecret: 'abc' } },
      { oauth: { clientId: 'me', clientSecret: '••••' } },
    ],
    [
      'scopes',
      { oauth: { scopes: ['a:b'], authServerMetadataUrl: 'https://a.test/x' } },
      { oauth: { scopes: ['a:b'], authServerMetadataUrl: 'https://a.test/x' } },
    ],
    ['no authToken', { authToken: 'abc' }, { authToken: '••••' }],
    [
      'nothing in unknown credentials',
      { credentials: { a: { b: ['abc', 1] } } },
      { credentials: { a: { b: ['••••', '••••'] } } },
    ],
    [
      'nothing telling deep in an unknown field',
      { x: [{ y: { apiKey: 'abc', z: 'shown' } }] },
      { x: [{ y: { apiKey: '••••', z: 'shown' } }] },
    ],
    ['flags and numbers', { trust: true, timeout: 3000, type: 'http' }, { trust: true, timeout: 3000, type: 'http' }],
    [
      'no secret of the helper',
      { headersHelper: 'print --token abc --json' },
      { headersHelper: 'print --token •••• --json' },
    ],
    [
      'no header in the helper',
      { headersHelper: `curl -H "X-Api-Key: abc" https://u:p@h.test` },
      { headersHelper: `curl -H "X-Api-Key: ••••" https://••••@h.test` },
    ],
    ['no assignment in the helper', { headersHelper: `TOKEN=abc print` }, { headersHelper: `TOKEN=•••• print` }],
    [
      'no token in a command',
      { command: 'run --api-key=abc ghp_0123456789abcdefghij0123' },
      { command: 'run --api-key=•••• ••••' },
    ],
    [
      'a reference in a URL',
      { url: 'https://h.test/${PATH_PART}?key=${KEY}' },
      { url: 'https://h.test/${PATH_PART}?key=${KEY}' },
    ],
    ['no key in a proxy', { proxyUrl: 'https://h.test/?token=abc' }, { proxyUrl: 'https://h.test/?token=••••' }],
  ])('%s', (_, raw, expected) => check(raw, expected));

  test('a field named __proto__ is a field like any other', () => {
    const masked = maskEntry(JSON.parse('{"env":{"__proto__":"abc"},"__proto__":{"token":"abc"}}') as RawEntry);
    expect(JSON.stringify(masked)).toBe('{"env":{"__proto__":"••••"},"__proto__":{"token":"••••"}}');
  });
});

describe('what arguments show', () => {
  test.each<[args: readonly unknown[], expected: readonly unknown[]]>([
    [
      ['--api-key', 'abc'],
      ['--api-key', '••••'],
    ],
    [['--api-key=abc'], ['--api-key=••••']],
    [
      ['--token', '${TOKEN}'],
      ['--token', '${TOKEN}'],
    ],
    [['--token=${TOKEN:-abc}'], ['--token=${TOKEN:-••••}']],
    [
      ['-token', 'abc'],
      ['-token', '••••'],
    ],
    [
      ['--password', '-abc1'],
      ['--password', '••••'],
    ],
    [
      ['--password', '--verbose', 'x'],
      ['--password', '--verbose', 'x'],
    ],
    [
      ['--password', '-v', 'x'],
      ['--password', '-v', 'x'],
    ],
    [
      ['--pass', 'abc', 'x'],
      ['--pass', '••••', 'x'],
    ],
    [['--token'], ['--token']],
    [
      ['-e', 'GITHUB_TOKEN=abc'],
      ['-e', 'GITHUB_TOKEN=••••'],
    ],
    [['--env=API_KEY=abc'], ['--env=API_KEY=••••']],
    [['-eAPI_KEY=abc'], ['-eAPI_KEY=••••']],
    [['SENTRY_DSN=abc'], ['SENTRY_DSN=••••']],
    [
      ['--header', 'Authorization: Bearer abc'],
      ['--header', 'Authorization: ••••'],
    ],
    [
      ['--header', 'Authorization:abc'],
      ['--header', 'Authorization:••••'],
    ],
    [
      ['--header', 'Authorization: Bearer ${TOKEN}'],
      ['--header', 'Authorization: Bearer ${TOKEN}'],
    ],
    [
      ['--header', 'Authorization:${AUTH_HEADER}'],
      ['--header', 'Authorization:${AUTH_HEADER}'],
    ],
    [['--header=X-Api-Key:abc'], ['--header=X-Api-Key:••••']],
    [
      ['-H', 'X-Api-Key: a b c'],
      ['-H', 'X-Api-Key: ••••'],
    ],
    [
      ['--config', '{"apiKey":"abc","mode":"x"}'],
      ['--config', '{"apiKey":"••••","mode":"x"}'],
    ],
    [
      ['--config', '"{\\"apiKey\\":\\"abc\\"}"'],
      ['--config', '"{\\"apiKey\\":\\"••••\\"}"'],
    ],
    [["{'secret': 'a'}"], ["{'secret': '••••'}"]],
    [['postgresql://me:pw@db.test/x'], ['postgresql://••••@db.test/x']],
    [['--url=https://me:pw@h.test/'], ['--url=https://••••@h.test/']],
    [
      ['--database-url', 'postgres://db'],
      ['--database-url', '••••'],
    ],
    [
      ['-c', 'TOKEN=abc node x'],
      ['-c', 'TOKEN=•••• node x'],
    ],
    [
      ['-c', 'run --api-key abc && curl https://u:p@h.test'],
      ['-c', 'run --api-key •••• && curl https://••••@h.test'],
    ],
    [
      [1, null, '--token', 2, 'x'],
      [1, null, '--token', 2, '••••'],
    ],
  ])('%j', (args, expected) => expect(maskArguments(args)).toEqual(expected));
});

describe('what a short option hides depends on what starts the server', () => {
  test.each<[argv: readonly string[], expected: readonly string[]]>([
    [
      ['mysql-mcp', '-p', 'hunter2'],
      ['mysql-mcp', '-p', '••••'],
    ],
    [
      ['mysql-mcp', '-p', 'SECRET'],
      ['mysql-mcp', '-p', '••••'],
    ],
    [
      ['mysql-mcp', '-P', 'hunter2'],
      ['mysql-mcp', '-P', '••••'],
    ],
    [
      ['mysql-mcp', '-phunter2'],
      ['mysql-mcp', '-p••••'],
    ],
    [
      ['node', 'server.js', '-p', 'SECRET'],
      ['node', 'server.js', '-p', '••••'],
    ],
    [
      ['npx', '-y', 'server', '-p', 'SECRET'],
      ['npx', '-y', 'server', '-p', '••••'],
    ],
    [
      ['npx', '-y', '-p', 'typescript', 'server', '-p', 'SECRET'],
      ['npx', '-y', '-p', 'typescript', 'server', '-p', '••••'],
    ],
    [
      ['npm', 'exec', '-p', 'typescript', '--', 'tsc'],
      ['npm', 'exec', '-p', 'typescript', '--', 'tsc'],
    ],
    [
      ['uv', 'run', '-p', 'python3.12', 'x'],
      ['uv', 'run', '-p', 'python3.12', 'x'],
    ],
    [
      ['docker', 'run', '-p', '127.0.0.1:80:80/tcp', 'image', '-p', 'SECRET'],
      ['docker', 'run', '-p', '127.0.0.1:80:80/tcp', 'image', '-p', '••••'],
    ],
    [
      ['server', '-p', '8080', '-port', '9090', '-p', './data', '-p', '${PASSWORD}'],
      ['server', '-p', '8080', '-port', '9090', '-p', './data', '-p', '${PASSWORD}'],
    ],
    [
      ['curl', '-u', 'jane:hunter2', '-u', '1000:1000'],
      ['curl', '-u', 'jane:••••', '-u', '1000:1000'],
    ],
    [
      ['server', '-k', '0a1b2c3d4e5f6a7b', '-t', 'streamable-http', '-r', 'us-east-1'],
      ['server', '-k', '••••', '-t', 'streamable-http', '-r', 'us-east-1'],
    ],
    [
      ['server', '-k', 'hunter2', '-k', 'https://h.test/', '/token:SECRET', '/v:q', '/srv/token:ro'],
      ['server', '-k', '••••', '-k', 'https://h.test/', '/token:••••', '/v:q', '/srv/token:ro'],
    ],
    [
      ['sh', '-c', 'mysql -p hunter2 -u root && mkdir -p data'],
      ['sh', '-c', 'mysql -p •••• -u root && mkdir -p data'],
    ],
  ])('%j', ([command, ...args], [, ...expected]) => expect(maskArguments(args, command)).toEqual(expected));

  test('and what it hides is known as a secret', () => {
    const args = ['-p', 'SECRET', '--token=abc', '-H', 'X-Api-Key: a b c', '${TOKEN}', 'plain', 'a=1&token=x&b=2'];
    expect(secretsInArguments(args, 'server')).toEqual(['SECRET', 'abc', 'a b c', 'x']);
  });
});

describe('ordinary arguments are shown as they are', () => {
  test.each<readonly string[]>([
    ['--port', '3000'],
    ['-p', '3000:3000'],
    ['-y', '@modelcontextprotocol/server-filesystem', '/Users/me/Desktop'],
    ['-y', '@auth0/auth0-mcp-server@1.2.3', 'run'],
    ['run', '-i', '--rm', 'ghcr.io/github/github-mcp-server:latest'],
    ['run', '--rm', '-v', '/home/me/keys:/keys:ro', 'mcp/keycloak:1.2'],
    ['mcp-remote', 'https://api.example.com/v1/mcp'],
    ['--from', 'git+https://github.com/company/repo@v1.2.3', 'server'],
    ['C:\\Users\\me\\server.js', '--verbose'],
    ['server.py', '--log-level=debug', '--no-auth', './folder'],
    ['--max-tokens', '4096'],
    ['--config', '{"mode":"fast","level":3}'],
    ['--filter', 'name=web', '--label=a=b'],
    ['https://registry.npmjs.org/@company/server/-/server-1.0.0.tgz'],
    ['https://host.test:8080/@scope/name'],
    ['--registry', 'http://localhost:4873/'],
    ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['hello world: this is text', ''],
    ['${HOME}/bin', '$HOME'],
  ])('%j %j %j %j %j', (...args) => expect(maskArguments(args)).toEqual(args));
});

describe('what a URL shows', () => {
  test.each<[url: string, expected: string]>([
    ['https://api.example.com/v1/mcp', 'https://api.example.com/v1/mcp'],
    ['https://api.example.com/v1/mcp?team=a&page=2#top', 'https://api.example.com/v1/mcp?team=a&page=2#top'],
    ['https://user:pw@h.test/x', 'https://••••@h.test/x'],
    ['https://token@h.test/x', 'https://••••@h.test/x'],
    ['https://u:p@ss@h.test/x', 'https://••••@h.test/x'],
    ['postgres://u:p/s?s#s@h.test/x', 'postgres://••••@h.test/x'],
    ['https://${USER}:${PASSWORD}@h.test/x', 'https://${USER}:${PASSWORD}@h.test/x'],
    ['https://h.test/?api_key=abc&x=1', 'https://h.test/?api_key=••••&x=1'],
    ['https://h.test/?x=1&access_token=abc#y', 'https://h.test/?x=1&access_token=••••#y'],
    ['https://h.test/?X-Amz-Signature=abc', 'https://h.test/?X-Amz-Signature=••••'],
    ['https://h.test/?sv=1&sig=abc', 'https://h.test/?sv=1&sig=••••'],
    ['https://h.test/#token=abc', 'https://h.test/#token=••••'],
    ['https://h.test/?a=1&t=hunter2', 'https://h.test/?a=1&t=••••'],
    ['https://h.test/?id=a1b2c3d4e5f6', 'https://h.test/?id=••••'],
    ['https://h.test/mcp#hunter2', 'https://h.test/mcp#••••'],
    ['https://h.test/mcp?t=fast&page=12#section-two', 'https://h.test/mcp?t=fast&page=12#section-two'],
    ['https://h.test/mcp?t=${T}#${KEY}', 'https://h.test/mcp?t=${T}#${KEY}'],
    ['https://h.test/?key=${KEY}', 'https://h.test/?key=${KEY}'],
    [
      'https://p.test/?mcp_url=https%3A%2F%2Fh.test%2F%3Fapi_key%3Dabc',
      'https://p.test/?mcp_url=https%3A%2F%2Fh.test%2F%3Fapi_key%3D••••',
    ],
    ['https://h.test/s/0a1b2c3d4e5f6a7b8c9d0e1f/mcp', 'https://h.test/s/••••/mcp'],
    ['https://h.test/123e4567-e89b-12d3-a456-426614174000', 'https://h.test/••••'],
    ['https://h.test/api/mcp/s/ODk3YmZhMTctODk3YmZhMTc0==/mcp', 'https://h.test/api/mcp/s/••••/mcp'],
    ['https://h.test/s/a1b2c3d4e5/mcp', 'https://h.test/s/••••/mcp'],
    ['https://h.test/token/hunter2/mcp', 'https://h.test/token/••••/mcp'],
    ['https://h.test/api-key=hunter2/mcp', 'https://h.test/••••/mcp'],
    ['https://h.test/bot123456:ABC-def/mcp', 'https://h.test/••••/mcp'],
    ['https://hooks.slack.com/services/T000/B000/abc', 'https://hooks.slack.com/services/••••'],
    ['https://h.test/a1b2.c3d4e5f6.x?y=1', 'https://h.test/••••?y=1'],
    ['https://h.test/oauth2/token/refresh', 'https://h.test/oauth2/token/refresh'],
    ['https://h.test/v1/projects/my-project-42/us-east-1', 'https://h.test/v1/projects/my-project-42/us-east-1'],
    ['https://h.test/2025-11-25/mcp', 'https://h.test/2025-11-25/mcp'],
    ['https://h.test/${KEY}/mcp', 'https://h.test/${KEY}/mcp'],
    ['https://h.test/this-is-only-a-rather-long-name/mcp', 'https://h.test/this-is-only-a-rather-long-name/mcp'],
    ['not a url', 'not a url'],
  ])('%j', (url, expected) => expect(maskUrl(url)).toBe(expected));
});

/** In two halves, so that no secret scanner reports this file. */
const secrets = [
  ['sk-', 'proj-abcdefghijklmnop1234'],
  ['sk-', 'ant-api03-abcdefghijklmnop_1234-AA'],
  ['sk_', 'live_51Habcdefghijklmnop'],
  ['rk_', 'test_51Habcdefghijklmnop'],
  ['whsec_', 'abcdefghijklmnop1234'],
  ['ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['gho_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['ghs_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['github_', 'pat_11ABCDEFG0abcdefghijklmnop_qrstuv'],
  ['xoxb-', '123456789012-abcdefghijkl'],
  ['xoxe-', '1-abcdefghijklmnop'],
  ['xapp-', '1-A0123-456-abcdef'],
  ['glpat-', 'abcdefghijklmnop1234'],
  ['AKIA', 'IOSFODNN7EXAMPLE'],
  ['ASIA', 'IOSFODNN7EXAMPLE'],
  ['AIza', 'SyA-abcdefghijklmnopqrstuvwxyz01234'],
  ['ya29.', 'a0AfH6SMBabcdefghij'],
  ['GOCSPX-', 'abcdefghijklmnop'],
  ['eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'],
  ['hf_', 'abcdefghijklmnopqrstuv0123456789'],
  ['npm_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['gsk_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['ntn_', '123456789012abcdefghijklmnop'],
  ['secret_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['figd_', 'abcdefghijklmnop0123456789'],
  ['lin_api_', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['dop_v1_', 'abcdef0123456789abcdef0123456789'],
  ['SG.', 'abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789'],
  ['patABCDEFGHIJKLMN', '.0123456789abcdef0123456789abcdef'],
  ['-----BEGIN RSA PRIVATE', ' KEY-----\nMIIEabcdefgh\n-----END RSA PRIVATE KEY-----'],
].map((halves) => halves.join(''));

test.each(secrets)('a token of a known form is shown nowhere: %.8s', (secret) => {
  const entry: RawEntry = {
    command: `run ${secret}`,
    args: [secret, `--x=${secret}`, '--y', secret, `see ${secret}, please`, { odd: secret }].slice(0, 5),
    env: { PLAIN: secret },
    headers: { 'X-Plain': secret },
    headersHelper: `print ${secret}`,
    oauth: { clientId: secret },
    unknown: [{ deep: secret }],
    cwd: `/tmp/${secret}`,
  };
  const shown = JSON.stringify(maskEntry(entry));
  const tail = secret.slice(-8).replaceAll('\n', '\\n');
  expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
  expect(shown).not.toContain(tail);
  expect(maskUrl(`https://h.test/?q=${secret}`)).not.toContain(secret);
});

test('an argument of a megabyte is masked like any other', () => {
  for (const unit of [
    'a',
    '-',
    '"',
    'a-',
    'a:',
    'a=',
    '--a ',
    'a://',
    '{"a":',
    'eyJ',
    'sk-',
    '?a=',
    '\\"',
    'Bearer ',
    ' ',
    '@:',
    '/a1',
  ]) {
    const text = unit.repeat(1_000_000 / unit.length);
    expect(maskArguments([text])).toHaveLength(1);
    expect(maskUrl(`https://h.test/${text}`)).toContain('h.test');
  }
});

test('a text made to look like the beginning of a thousand tokens costs no more than its length', () => {
  const text = 'eyJ-'.repeat(200_000);
  expect(maskTokens(text)).toBe(text);
  expect(isSteep((length) => maskTokens('eyJ-'.repeat(length)), 200_000)).toBe(false);
});
