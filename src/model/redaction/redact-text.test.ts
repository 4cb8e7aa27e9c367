import { describe, expect, test } from 'vitest';
import { MASK, Secret } from '../../base/secret.js';
import { textRedactor } from './redact-text.js';
import { isSteep } from '../../../test/cpu-time.js';

/** Redacting a redacted text changes nothing. */
function check(text: string, expected: string): void {
  const redactor = textRedactor({ secrets: [new Secret('of-the-entry-1')] });
  expect(redactor.redact(text)).toBe(expected);
  expect(redactor.redact(expected)).toBe(expected);
}

/** `#` stands for the secret. */
describe('a secret behind a name is masked, however the two are written', () => {
  test.each([
    'api_key = "#"',
    "api_key = '#'",
    'api_key = #',
    'api_key="#"',
    'api_key => "#"',
    ':api_key=>"#"',
    'apiKey := "#"',
    '"api_key" = "#"',
    'PASSWORD : #',
    'PASSWORD: #',
    'PASSWORD:#',
    '2026-01-01T10:00:00Z info PASSWORD : # (from the environment)',
    'connecting with password: # ...',
    'the API key: #, and no other',
    'access token = #',
    'client secret: "#"',
    '<password>#</password>',
    '<password>#',
    '<password> # </password>',
    '<ns:apiKey type="text">#</ns:apiKey>',
    '&lt;password&gt;#&lt;/password&gt;',
    '<add key="DbPassword" value="#" />',
    'msg="login failed" error="password=#"',
    'level=debug msg="using token=#"',
    'url=https://h.test/?token=#',
    'error: password:#',
    'mysql --password # --host db',
    'tool --api-key "#"',
    'curl -u jane:# https://h.test',
    'mysql -u root -p # -h db',
    "curl -u 'jane:#' https://h.test",
    'curl -ujane:# https://h.test',
    'curl --user jane:# https://h.test',
    'curl --proxy-user=jane:# https://h.test',
    "{ headers: { Authorization: '#' } }",
    'GITHUB_PAT=#',
    'SLACK_WEBHOOK_URL=#',
    'otp: #',
    'grant_type=x&code_verifier=#&a=b',
    '{"msg":"connecting with password=\\"#\\" now"}',
    String.raw`{"a":"{\"msg\":\"token = \\\"#\\\"\"}"}`,
    'GET /?next=%2Fcb%3Ftoken%3D#%26a%3D1',
    'token%3D#',
    'mysql -p# -u root',
    'spawning mysqldump -h db -p#',
    '<Password value="#"/>',
    '<ns:Password type="text" value="#"/>',
    '<key>password</key><string>#</string>',
    '<key>apiKey</key>\n\t<string>#</string>',
    '[password] #',
    '[api_key]: #',
    'token -> #',
    'using token -> # for x',
    'password is #',
    'the password is: #.',
    'Your API key is "#"',
    'password set to #, restart',
    'Password for bob: #',
    "Password for 'https://bob@h.test': #",
  ])('%s', (form) => {
    for (const secret of ['hunter2', 'Tr0ub4dor3', 'correcthorsebattery9'])
      expect(textRedactor().redact(form.replaceAll('#', secret))).not.toContain(secret);
  });
});

describe('the address of a webhook is a secret', () => {
  const slack = ['T0000AAAA', 'B0000BBBB', 'abcdefghijklmnopqrstuvwx'].join('/');
  test.each([
    [`post to https://hooks.slack.com/services/${slack}.`, `post to https://hooks.slack.com/services/${MASK}`],
    [
      `"https:\\/\\/hooks.slack.com\\/services\\/${slack.replaceAll('/', '\\/')}"`,
      `"https:\\/\\/hooks.slack.com\\/services\\/${MASK}"`,
    ],
    ['https://discord.com/api/webhooks/123456789012345678/abc-DEF_123', `https://discord.com/api/webhooks/${MASK}`],
    [
      'https://discordapp.com/api/v10/webhooks/1234/abc?wait=true x',
      `https://discordapp.com/api/v10/webhooks/${MASK} x`,
    ],
    [
      'GET https://api.telegram.org/bot123456:ABC-DEF1234/getMe failed',
      `GET https://api.telegram.org/bot${MASK} failed`,
    ],
    [`token ${['123456789', 'AAabcdefghijklmnopqrstuvwxyz0123456'].join(':')} used`, `token ${MASK} used`],
    [
      'https://acme.webhook.office.com/webhookb2/1-2@3/IncomingWebhook/4',
      `https://acme.webhook.office.com/webhookb2/${MASK}`,
    ],
    ['https://hooks.zapier.com/hooks/catch/123/abc/', `https://hooks.zapier.com/hooks/catch/${MASK}`],
    ['https://maker.ifttt.com/trigger/door/with/key/abcDEF', `https://maker.ifttt.com/trigger/door/with/key/${MASK}`],
    ['https://chat.test/hooks/x1y2z3abcdefgh', `https://chat.test/hooks/${MASK}`],
    ['https://n8n.test/webhook/6f1c2d3e-0000-4000-8000-000000000000', `https://n8n.test/webhook/${MASK}`],
  ])('%s', check);
});

describe('words about credentials stay', () => {
  test.each([
    'Error: GITHUB_TOKEN is not set',
    'API_KEY: required',
    'API_KEY : missing, set it in your environment',
    'Invalid password: must have eight characters',
    'token = undefined',
    'const token = process.env.TOKEN;',
    'const apiKey = readKey(file);',
    'if (token === undefined) throw new Error("no token")',
    'usage: tool --token TOKEN --password <password>',
    'set <password> to what you were given',
    'docker run -u 1000:1000 -p 8080:80 image',
    'mkdir -p data2 && uv run -p 3.12 x -p ./dir2/x',
    'author: jane, key: value, id: 12345678',
    'see https://docs.test/webhooks/overview and https://h.test/hooks/pre-commit',
    'listening on http://127.0.0.1:3000/mcp (session 42)',
    '    at Object.<anonymous> (/srv/app/token.js:10:15)',
    'maxTokens = 4096, tokens: 17',
    'Authenticating with OAuth: opening the browser',
    'The password is required, and the token is no longer valid',
    'token is expired',
    'password is too short: 8 characters at least',
    'Password for bob: ',
    'Token for user: not found',
    'Password for jane: wrong, try again',
    '[auth] listening on port 8080',
    '[token] refreshed in 12 ms',
    'node->token->next = x;',
    'fn verify(token) -> Result',
    'the secret is to wait',
    'gcc -pthread -pipe x.c && tar -pxzf a.tgz && mkdir -p x',
    '<input type="text" value="hello"/>',
    '<key>CFBundleName</key><string>App</string>',
    'a%3Db%26page%3D2',
  ])('%s', (text) => check(text, text));
});

test('what the entry was given is masked in every spelling', () => {
  check('sent of-the-entry-1 and of%2Dthe-entry-1', `sent ${MASK} and ${MASK}`);
});

test('no text makes it slow: eight times as much never takes the square of that', () => {
  const units = [
    'a=',
    'key=',
    'token=>[',
    'token = [',
    'a:',
    'a : ',
    'token:',
    'token: <',
    '<a>',
    '<token>',
    '<token ',
    '&lt;',
    '--token ',
    '-u a:',
    '-ua',
    'hooks/',
    '/hooks/1',
    '\\/',
    '%2F',
    'hook.a.',
    'name="a" value="',
    'api key ',
    'a="',
    "a='",
    'a=`',
    '12345678:',
    '- ',
    '\r',
    ':= ',
    'token%3D',
    '%3Dtoken',
    'password=\\',
    'password=\\"',
    '-pa1',
    '-pabcde ',
    '<key>token</key> ',
    '<token a value=',
    '[token] ',
    'token is ',
    'token for a: ',
    'token -> ',
    'api key is "',
  ];
  const slow = units.flatMap((unit) => {
    const redactor = textRedactor();
    return isSteep((length) => redactor.redact(unit.repeat(length / unit.length))) ? [unit] : [];
  });
  expect(slow).toEqual([]);
});

test.each([
  ['an escape sequence', 'sk-env\u001B[0m-value-99'],
  ['a zero-width blank', 'sk-env\u200B-value-99'],
  ['a tag character', 'sk-env\u{E0041}-value-99'],
])('a secret that %s splits is masked, as the text would be shown without it', (_, written) => {
  const redactor = textRedactor({ secrets: [new Secret('sk-env-value-99')] });
  expect(redactor.redact(`before ${written} after`)).toBe(`before ${MASK} after`);
  expect(redactor.redact('é \u200B nothing else')).toBe('é \u200B nothing else');
});
