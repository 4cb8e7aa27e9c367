import { Secret } from '../../base/secret.js';
import { childEnvironment } from '../../edge/processes/child-environment.js';
import type { HelperOptions } from './headers-helper.js';

/** What a headersHelper finds around it: all that the user has, without secrets for one that somebody else wrote. */
export function helperEnvironment(options: HelperOptions): Record<string, string> {
  const { env, platform = process.platform, isForeign, name, url } = options;
  const passed = isForeign ? Object.entries(env).filter(([key, value]) => !isSecret(key, value)) : Object.entries(env);
  return childEnvironment(Object.fromEntries(passed), {
    inheritEnv: true,
    platform,
    // The first two are what helpers were written for.
    env: {
      CLAUDE_CODE_MCP_SERVER_NAME: new Secret(name),
      CLAUDE_CODE_MCP_SERVER_URL: new Secret(url),
      PLUGBOARD_MCP_SERVER_NAME: new Secret(name),
      PLUGBOARD_MCP_SERVER_URL: new Secret(url),
    },
  });
}

/** What the user keeps to themselves: it may not show in what a helper says. */
export function helperSecrets(env: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(env)
    .filter(([name, value]) => isSecret(name, value) && !value?.startsWith('/'))
    .map(([, value]) => new Secret(value ?? ''));
}

/** By its name, whatever is in it; and a password within a URL, unless the network is behind it. */
function isSecret(name: string, value: string | undefined): boolean {
  return SECRET_NAME.test(name) || (USERINFO.test(value ?? '') && !/proxy$/iu.test(name));
}

/** Wider than what is masked in texts: a variable too few is noticed at once, and one too many never. */
const SECRET_NAME =
  /token|secret|key|auth|pass|pwd|credential|cookie|bearer|jwt|private|dsn|signature|otp|(?:^|_)pat$/iu;
const USERINFO = /:\/\/[^/?#\s]*@/u;
