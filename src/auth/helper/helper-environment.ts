import { Secret } from '../../base/secret.js';
import { childEnvironment } from '../../edge/processes/child-environment.js';
import type { HelperOptions } from './headers-helper.js';

/** A headersHelper's environment: the user's (no secrets for a foreign one), the server's name and URL. */
export function helperEnvironment(options: HelperOptions): Record<string, string> {
  const { env, platform = process.platform, isForeign, name, url } = options;
  const passed = isForeign ? Object.entries(env).filter(([key, value]) => !isSecret(key, value)) : Object.entries(env);
  return childEnvironment(Object.fromEntries(passed), {
    inheritEnv: true,
    platform,
    // CLAUDE_CODE_*: the names that existing helpers read.
    env: {
      CLAUDE_CODE_MCP_SERVER_NAME: new Secret(name),
      CLAUDE_CODE_MCP_SERVER_URL: new Secret(url),
      PLUGBOARD_MCP_SERVER_NAME: new Secret(name),
      PLUGBOARD_MCP_SERVER_URL: new Secret(url),
    },
  });
}

/** The user's secrets, to be redacted from what a helper prints. */
export function helperSecrets(env: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(env)
    .filter(([name, value]) => isSecret(name, value) && !value?.startsWith('/'))
    .map(([, value]) => new Secret(value ?? ''));
}

/** By name, or by a URL with a password; not a proxy's, which the network needs. */
function isSecret(name: string, value: string | undefined): boolean {
  return SECRET_NAME.test(name) || (USERINFO.test(value ?? '') && !/proxy$/iu.test(name));
}

/** Wider than the masking of texts: a missing variable is noticed at once, a leaked one never. */
const SECRET_NAME =
  /token|secret|key|auth|pass|pwd|credential|cookie|bearer|jwt|private|dsn|signature|otp|(?:^|_)pat$/iu;
const USERINFO = /:\/\/[^/?#\s]*@/u;
