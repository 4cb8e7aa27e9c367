import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { systemClock } from '../../edge/clock.js';
import { CommandRunner } from '../../edge/processes/command-runner.js';
import { openWorkshop, type Workshop } from '../../edge/processes/process-fixtures.js';
import type { Credentials, RequestCredentials } from '../../model/credentials.js';
import { HelperCredentials, type HelperOptions } from './headers-helper.js';

let workshop: Workshop;
let runner: CommandRunner;
beforeEach(() => {
  workshop = openWorkshop();
  runner = new CommandRunner({ clock: systemClock, registry: workshop.registry });
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  await workshop.registry[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

function helper(command: string, options: Partial<HelperOptions> = {}): HelperCredentials {
  const { folder: cwd, env } = workshop;
  const url = 'https://db.example/mcp';
  return new HelperCredentials({ command, name: 'db', url, env, cwd, runner, isForeign: false, ...options });
}

function reveal(credentials: RequestCredentials | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(credentials?.headers ?? {}).map(([name, value]) => [name, value.reveal()]));
}

/** Counts its runs in a file, and prints a token with the number of the run. */
const COUNTING = `echo run >> runs; n=$(wc -l < runs | tr -d ' '); printf '{"Authorization":"Bearer t%s"}' "$n"`;
const runs = (): number => readFileSync(join(workshop.folder, 'runs'), 'utf8').split('\n').length - 1;
const denied = { status: 401 };

test('a helper is told which server it is for, runs in the project, and its headers are secrets', async () => {
  const script = `printf '{"A":"%s %s","B":"%s %s","C":"%s"}' "$CLAUDE_CODE_MCP_SERVER_NAME" "$CLAUDE_CODE_MCP_SERVER_URL" "$PLUGBOARD_MCP_SERVER_NAME" "$PLUGBOARD_MCP_SERVER_URL" "$(pwd)"`;
  const credentials = await helper(script).present();
  expect(reveal(credentials)).toEqual({
    A: 'db https://db.example/mcp',
    B: 'db https://db.example/mcp',
    C: workshop.folder,
  });
  expect(JSON.stringify(credentials)).not.toContain('db.example');
});

test('every connection asks it anew', async () => {
  const credentials = helper(COUNTING);
  expect(reveal(await credentials.present())).toEqual({ Authorization: 'Bearer t1' });
  expect(reveal(await credentials.present())).toEqual({ Authorization: 'Bearer t2' });
});

test.each([
  ['prints nothing', 'true', /printed nothing/u],
  ['prints a token and no JSON', 'echo abcdef0123456789', /is not JSON/u],
  ['prints a list', `echo '["a"]'`, /not an object/u],
  ['has a number for a value', `echo '{"A":1}'`, /"A" whose value is not a string/u],
  ['has a line break at the end of a value', `echo '{"A":"token\\\\n"}'`, /"A" whose value ends in a line break/u],
  ['would smuggle a header', `echo '{"A":"x\\\\r\\\\nB: y"}'`, /"A" whose value has characters/u],
  ['has a value beyond HTTP', `echo '{"A":"€"}'`, /"A" whose value has characters/u],
  ['has a name beyond HTTP', `echo '{"A B":"x"}'`, /"A B" whose name is not valid/u],
  ['takes the host', `echo '{"Host":"evil.example"}'`, /"Host" which only Plugboard itself may set/u],
  ['takes the session', `echo '{"Mcp-Session-Id":"1"}'`, /"Mcp-Session-Id" which only Plugboard itself may set/u],
  ['says a header twice', `echo '{"A":"1","a":"2"}'`, /"a" twice/u],
  [
    'prints 101 headers',
    `${JSON.stringify(process.execPath)} -e "console.log(JSON.stringify(Object.fromEntries([...Array(101).keys()].map((n) => ['h' + n, '']))))"`,
    /101 headers; 100/u,
  ],
  ['prints more than 64 KB', `printf '{"A":"'; head -c 70000 /dev/zero | tr '\\0' x; printf '"}'`, /more than 65536/u],
  ['prints without end', 'yes', /printed more than/u],
  ['fails', 'echo first >&2; echo "no ticket" >&2; exit 3', /exited with code 3: first\nno ticket$/u],
  ['is killed', 'kill -9 $$', /SIGKILL/u],
])('a helper that %s is told by name, and the server is not asked as nobody', async (_, command, reason) => {
  const credentials = helper(command);
  expect(await credentials.present()).toBeUndefined();
  const failure = credentials.failure();
  expect(failure).toBeInstanceOf(HostError);
  expect(failure?.message).toMatch(/^Server "db": its headersHelper /u);
  expect(failure?.message).toMatch(reason);
  expect(failure?.message).not.toContain('abcdef0123456789');
  expect(await credentials.renew(undefined, denied)).toMatchObject({ kind: 'failed', error: { code: failure?.code } });
});

test('what goes well later makes up for it', async () => {
  const credentials = helper(`test -e ready && echo '{"A":"x"}'`);
  expect(await credentials.present()).toBeUndefined();
  writeFileSync(join(workshop.folder, 'ready'), '');
  expect(reveal(await credentials.present())).toEqual({ A: 'x' });
  expect(credentials.failure()).toBeUndefined();
});

test('a secret that it complains of does not show', async () => {
  const env = { ...workshop.env, VAULT_TOKEN: 'hunter2-hunter2' };
  const credentials = helper('echo "bad ticket $VAULT_TOKEN for Bearer abc123def456" >&2; exit 1', { env });
  await credentials.present();
  expect(credentials.failure()?.message).toContain('bad ticket');
  expect(credentials.failure()?.message).not.toMatch(/hunter2|abc123def456/u);
});

test('one that is too slow is ended with everything that it started', async () => {
  const credentials = helper('(trap "" TERM; sleep 600) & touch started; sleep 600', { timeoutMs: 300 });
  expect(await credentials.present()).toBeUndefined();
  expect(credentials.failure()).toMatchObject({ detail: { isTransient: true } });
  expect(credentials.failure()?.message).toContain('did not end within 300 ms');
  await expect.poll(() => workshop.survivors()).toEqual([]);
});

test('so is one that nobody waits for any more', async () => {
  const abort = new AbortController();
  const credentials = helper('touch started; sleep 600');
  const [sentCredentials, renewal] = [
    credentials.present(abort.signal),
    credentials.renew(undefined, denied, abort.signal),
  ];
  await expect.poll(() => existsSync(join(workshop.folder, 'started'))).toBe(true);
  abort.abort();
  expect(await sentCredentials).toBeUndefined();
  expect(await renewal).toMatchObject({ kind: 'failed', error: { code: 'cancelled' } });
  await expect.poll(() => workshop.survivors()).toEqual([]);
});

test('fifty calls that are refused at once have it run once, and whoever comes later gets what they got', async () => {
  const credentials = helper(COUNTING);
  const refused = await credentials.present();
  const { signal } = new AbortController();
  const renewals = await Promise.all(Array.from({ length: 50 }, () => credentials.renew(refused, denied, signal)));
  const late = await credentials.renew(refused, { status: 403 });
  for (const renewal of [...renewals, late]) {
    expect(renewal.kind === 'renewed' && reveal(renewal.presented)).toEqual({ Authorization: 'Bearer t2' });
  }
  expect(runs()).toBe(2);
});

test('one who goes away does not end what others wait for', async () => {
  const credentials = helper(`touch started; while ! test -e go; do sleep 0.02; done; echo '{"A":"x"}'`);
  const abort = new AbortController();
  const gone = credentials.renew(undefined, denied, abort.signal);
  const kept = credentials.renew(undefined, denied);
  await expect.poll(() => existsSync(join(workshop.folder, 'started'))).toBe(true);
  abort.abort();
  expect(await gone).toMatchObject({ kind: 'failed' });
  writeFileSync(join(workshop.folder, 'go'), '');
  expect(await kept).toMatchObject({ kind: 'renewed' });
});

test('the same headers once more are no answer to a refusal: the user is told what to renew', async () => {
  const credentials = helper(`echo run >> runs; echo '{"Authorization":"Bearer old"}'`);
  const refused = await credentials.present();
  expect(await credentials.renew(refused, denied)).toMatchObject({
    kind: 'sign-in',
    hint: expect.stringContaining('plugboard reconnect db') as string,
  });
  expect(runs()).toBe(2);
});

test('a helper of a repository does not see the secrets of the user', async () => {
  const env = {
    ...workshop.env,
    GITHUB_TOKEN: 'a',
    API_KEY: 'b',
    SSH_AUTH_SOCK: '/c',
    DATABASE_URL: 'postgres://me:d@host/x',
    HTTPS_PROXY: 'http://me:e@proxy:80',
    AWS_PROFILE: 'f',
  };
  const show = `printf '{"seen":"%s"}' "$GITHUB_TOKEN$API_KEY$SSH_AUTH_SOCK$DATABASE_URL$HTTPS_PROXY$AWS_PROFILE"`;
  expect(reveal(await helper(show, { env, isForeign: true }).present())).toEqual({ seen: 'http://me:e@proxy:80f' });
  expect(reveal(await helper(show, { env }).present())['seen']).toContain('ab/cpostgres');
});

/** A sign-in that is used beside the helper. */
const signedIn: Credentials = {
  hint: '',
  renewsAt: [401],
  present: () => Promise.resolve(tokenOf('first')),
  renew: () => Promise.resolve({ kind: 'renewed', presented: tokenOf('second') }),
};

function tokenOf(token: string): RequestCredentials {
  return { headers: { authorization: new Secret(token), 'x-b': new Secret('under') } };
}

test('its headers go before those of a sign-in, which is renewed where the helper has nothing new', async () => {
  const credentials = helper(`echo '{"X-B":"mine"}'`, { over: signedIn });
  const refused = await credentials.present();
  expect(reveal(refused)).toEqual({ authorization: 'first', 'X-B': 'mine' });
  const renewal = await credentials.renew(refused, denied);
  expect(renewal.kind === 'renewed' && reveal(renewal.presented)).toEqual({ authorization: 'second', 'X-B': 'mine' });
  expect(await credentials.renew(refused, { status: 403 })).toMatchObject({ kind: 'sign-in' });
});

test('one that says who we are leaves no room for another sign-in', async () => {
  const credentials = helper(`echo '{"Authorization":"mine"}'`, { over: signedIn });
  const refused = await credentials.present();
  expect(reveal(refused)).toEqual({ Authorization: 'mine' });
  expect(await credentials.renew(refused, denied)).toMatchObject({ kind: 'sign-in' });
});

test('a sign-in that fails besides is not left out without a word', async () => {
  const error = new HostError('sign-in-failed', 'no token');
  const over: Credentials = { ...signedIn, present: () => Promise.resolve(undefined), failure: () => error };
  const credentials = helper(`echo '{"X-B":"mine"}'`, { over });
  expect(await credentials.present()).toBeUndefined();
  expect(credentials.failure()).toBe(error);
  expect(await credentials.renew(undefined, denied)).toEqual({ kind: 'failed', error });
});
