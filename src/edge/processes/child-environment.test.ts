import { expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import { childEnvironment, type ChildEnvironmentOptions } from './child-environment.js';

type Host = Record<string, string | undefined>;
interface Entry extends Partial<Omit<ChildEnvironmentOptions, 'env'>> {
  readonly env?: Record<string, string>;
}

function check(
  host: Host,
  expected: Record<string, string>,
  { env = {}, platform = 'linux', ...rest }: Entry = {},
): void {
  const secrets = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, new Secret(value)]));
  expect(childEnvironment(host, { env: secrets, platform, ...rest })).toEqual(expected);
}

const mark = (names: string): Record<string, string> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, `value of ${name}`]),
  );

const ordinary = mark(`
  HOME PATH USER LOGNAME SHELL LANG LC_ALL LC_TIME TERM TMPDIR TZ XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_SESSION_DESKTOP
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  npm_config_registry NPM_CONFIG_CACHE npm_config_cafile npm_config_keyfile
`);

const secret = mark(`
  AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE GITHUB_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY NPM_TOKEN
  DATABASE_URL SSH_AUTH_SOCK NODE_OPTIONS LD_PRELOAD Path home MY_PATH _ LC_API_KEY LC_TOKEN XDG_SESSION_COOKIE
  npm_config__auth npm_config__authToken npm_config__password NPM_CONFIG__AUTH npm_config_otp npm_config_key
  npm_config_//registry.example/:_authToken npm_config_//registry.example/:username
  npm_config_my_token npm_config_proxy_password npm_package_name npm_lifecycle_script npm_config_
`);

test('a server gets what any program needs and none of the host’s secrets', () => {
  check({ ...secret, ...ordinary, EMPTY: undefined }, ordinary);
});

test('a variable that is set to nothing stays set to nothing', () => {
  check({ NO_PROXY: '' }, { NO_PROXY: '' });
});

test('a password within the URL of a registry stays with the host, that of a proxy is needed to get out', () => {
  const proxies = {
    HTTPS_PROXY: 'http://me:word@proxy.example:8080',
    npm_config_https_proxy: 'http://me:word@proxy.example:8080',
  };
  check({ ...proxies, npm_config_registry: 'https://me:word@registry.example/' }, proxies);
  check(
    { npm_config_registry: 'https://registry.example/@scope' },
    { npm_config_registry: 'https://registry.example/@scope' },
  );
});

test('an npx that started the host does not decide what the npx of a server runs', () => {
  check(
    { npm_config_package: 'plugboard', npm_config_call: 'plugboard list', npm_config_yes: 'true' },
    { npm_config_yes: 'true' },
  );
});

test('what the entry says is passed, and stronger than the host', () => {
  check(
    { PATH: '/bin', GITHUB_TOKEN: 'host' },
    { PATH: '/opt', GITHUB_TOKEN: 'mine', npm_config__auth: 'x' },
    {
      env: { PATH: '/opt', GITHUB_TOKEN: 'mine', npm_config__auth: 'x' },
    },
  );
});

test('names that the entry asks for come besides, exactly these', () => {
  check(
    { PATH: '/bin', GITHUB_TOKEN: 'a', GITHUB_TOKEN_2: 'b', github_token: 'c' },
    { PATH: '/bin', GITHUB_TOKEN: 'a' },
    {
      inheritEnv: ['GITHUB_TOKEN', 'ABSENT'],
    },
  );
});

test('everything comes when everything is asked for, but for functions of bash', () => {
  const functions = { 'BASH_FUNC_ls%%': '() {  rm -rf /; }', OLD_STYLE: '() { :; }; rm -rf /' };
  check({ ...ordinary, ...secret, ...functions }, { ...ordinary, ...secret }, { inheritEnv: true });
  check({ PATH: '/bin', ...functions }, { PATH: '/bin' }, { inheritEnv: Object.keys(functions) });
});

test('what the system could not pass as it is, is not passed at all', () => {
  check(
    { HOME: 'a\0b', TZ: 'UTC' },
    { TZ: 'UTC', A: 'a' },
    {
      env: { A: 'a', 'LD_PRELOAD=x': 'y', '': 'z', B: 'b\0LD_PRELOAD=x', 'C\0': 'c' },
    },
  );
});

test('a variable named __proto__ is a variable', () => {
  const host = JSON.parse('{"__proto__":"a"}') as Host;
  const given = childEnvironment(host, { env: {}, inheritEnv: true, platform: 'linux' });
  expect(Object.entries(given)).toEqual([['__proto__', 'a']]);
});

test('on Windows names are the same in any case, and the system’s own come too', () => {
  const system = mark('SystemRoot PATHEXT APPDATA LOCALAPPDATA ComSpec windir USERPROFILE Temp TMP');
  const platform = 'win32';
  check({ ...system, Path: 'C:\\bin', Aws_Secret: 'x' }, { ...system, Path: 'C:\\bin' }, { platform });
  check({ Path: 'C:\\bin' }, { PATH: 'C:\\opt' }, { platform, env: { PATH: 'C:\\opt' } });
  check({ Token_One: 'a' }, { Token_One: 'a' }, { platform, inheritEnv: ['TOKEN_ONE'] });
  check({ NPM_Config__Auth: 'x', npm_config_registry: 'y' }, { npm_config_registry: 'y' }, { platform });
  check(system, mark('TMP'), { platform: 'linux', inheritEnv: ['TMP'] });
});
