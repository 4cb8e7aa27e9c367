import type { CallContext, ToolResult } from '../model/tool.js';
import { toSignInResult } from '../tools/authenticate.js';
import type { Fleet } from './fleet.js';
import { signIn as begin } from './sign-in.js';

/** A model wants the user to sign in: begins it, and says what the user has to do. Never rejects. */
export async function authenticate(fleet: Fleet, server: string, { signal }: CallContext): Promise<ToolResult> {
  const signIn = await begin(fleet, server, {});
  // It goes on without the call that began it, unless that was called off in the meantime.
  if (signal?.aborted === true && 'cancel' in signIn) signIn.cancel();
  const { openUrl } = fleet.ports;
  // Only where an embedder opens pages: a model may call this at any time, and nobody expects a browser then.
  const isOpened = signIn.kind === 'browser' && openUrl !== undefined && (await openUrl(signIn.url).catch(() => false));
  return toSignInResult(server, signIn, isOpened);
}
