import type { Secret } from '../../base/secret.js';

export interface ChildEnvironmentOptions {
  /** Variables of the server's entry: always passed, and stronger than the host's own. */
  readonly env: Readonly<Record<string, Secret>>;
  /** True: the host's whole environment. A list: these besides what every server gets. */
  readonly inheritEnv?: true | readonly string[] | undefined;
  readonly platform: NodeJS.Platform;
}

/** The environment of a server: what any program needs to run and what its entry sets, but no secret of the host. */
export function childEnvironment(
  hostEnv: Readonly<Record<string, string | undefined>>,
  { env, inheritEnv, platform }: ChildEnvironmentOptions,
): Record<string, string> {
  const fold = platform === 'win32' ? (name: string): string => name.toUpperCase() : (name: string): string => name;
  const wanted = new Set(inheritEnv === true ? [] : inheritEnv?.map(fold));
  // By folded name, so that `Path` of an entry replaces `PATH` of Windows.
  const chosen = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(hostEnv)) {
    if (value === undefined || !isPassable(name, value) || isBashFunction(name, value)) continue;
    if (inheritEnv === true || wanted.has(fold(name)) || isOrdinary({ name: fold(name), value, platform })) {
      chosen.set(fold(name), [name, value]);
    }
  }
  for (const [name, secret] of Object.entries(env)) {
    const value = secret.reveal();
    if (isPassable(name, value)) chosen.set(fold(name), [name, value]);
  }
  return Object.fromEntries(chosen.values());
}

const PROXY_NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];

const words = (text: string): string[] => text.trim().split(/\s+/);

const EVERYWHERE: ReadonlySet<string> = new Set([
  ...words('HOME PATH USER LOGNAME SHELL LANG TERM TMPDIR TZ'),
  ...PROXY_NAMES,
  ...PROXY_NAMES.map((name) => name.toLowerCase()),
  ...words('NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE'),
]);

/** Most programs on Windows need these to find their libraries, the shell or the user's folders. */
const ON_WINDOWS: ReadonlySet<string> = new Set(
  words(`
    SystemRoot SystemDrive windir ComSpec PATHEXT OS TEMP TMP
    APPDATA LOCALAPPDATA USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH PUBLIC
    ProgramData ALLUSERSPROFILE ProgramFiles ProgramFiles(x86) ProgramW6432
    CommonProgramFiles CommonProgramFiles(x86) CommonProgramW6432 PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS
  `).map((name) => name.toUpperCase()),
);

function isOrdinary({ name, value, platform }: { name: string; value: string; platform: NodeJS.Platform }): boolean {
  if (EVERYWHERE.has(name) || (platform === 'win32' && ON_WINDOWS.has(name))) return true;
  if (/^(?:LC|XDG)_/.test(name)) return !CREDENTIAL.test(name); // ssh forwards LC_*, so people carry tokens in these
  const setting = /^npm_config_(.+)$/i.exec(name)?.[1];
  return setting !== undefined && isHarmlessSetting(setting.toLowerCase(), value);
}

const CREDENTIAL = /auth|token|pass|secret|cookie|credential|otp|key$/i;
const USERINFO = /:\/\/[^/?#\s]*@/;
/** Settings of the npm run that started this host: with these, a server's own npx would run the host's command. */
const OF_THIS_RUN = /^(?:package|call|global|location|workspaces?)$/;

/**
 * `npx` needs npm's settings of registry, proxy and cache. Some settings are credentials: `_auth`, `_password`, those
 * bound to a registry (`//host/:_authToken`), and a password within a URL.
 */
function isHarmlessSetting(setting: string, value: string): boolean {
  if (setting.startsWith('//') || CREDENTIAL.test(setting) || OF_THIS_RUN.test(setting)) return false;
  return !USERINFO.test(value) || setting.endsWith('proxy'); // without a proxy's password there is no network
}

/** The system splits at the first `=` and ends at the first NUL: such a name or value would turn into another one. */
function isPassable(name: string, value: string): boolean {
  return name !== '' && !/[=\0]/.test(name) && !value.includes('\0');
}

/** A shell function, which any shell of the server would define. Windows has names like `=C:`, but none of these. */
function isBashFunction(name: string, value: string): boolean {
  return name.startsWith('BASH_FUNC_') || value.startsWith('() {');
}
