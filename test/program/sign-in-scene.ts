import { keeping } from '../auth/auth-scene.js';
import { browse } from '../auth/browser.js';
import { openProtectedServer, type ProtectedServer } from '../auth/protected-server.js';
import { openStrictServer, type StrictServer } from '../auth/strict-as.js';
import { makeSandbox, type Run, type RunOptions, type Sandbox, USER_FILE } from './sandbox.js';

/** A user whose server `srv` needs a sign-in. Without a terminal, the sign-in visits the URL that is printed. */
export interface SignInScene {
  readonly authority: StrictServer;
  readonly mcp: ProtectedServer;
  readonly sandbox: Sandbox;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Run>;
}

export const SIGN_IN_ENV = { PLUGBOARD_KEYCHAIN: 'off' };

export async function openSignInScene(entry: object = {}): Promise<SignInScene> {
  const authority = await keeping(openStrictServer());
  const mcp = await keeping(openProtectedServer({ authority }));
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { srv: { type: 'http', url: mcp.url, ...entry } } } });
  return {
    authority,
    mcp,
    sandbox,
    run: (args, options) => sandbox.run(args, { ...options, env: { ...SIGN_IN_ENV, ...options?.env } }),
  };
}

/** Signs in without a terminal: visits the printed URL as a user who consents. */
export async function signIn({ run }: Pick<SignInScene, 'run'>, args: readonly string[]): Promise<Run> {
  const visits: Promise<unknown>[] = [];
  const visit = (text: string): boolean => {
    const [url] = /^http:\S+(?=\n$)/u.exec(text) ?? [];
    if (url !== undefined) visits.push(browse(url));
    return true;
  };
  const ran = await run(['login', ...args], { onStdout: visit, onStderr: visit });
  await Promise.all(visits);
  return ran;
}
