import type { SignIn } from '../../auth/sign-in.js';
import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { refusedResult } from '../../model/failed-result.js';
import type { CallContext, ToolResult } from '../../model/tool.js';
import { toSignInResult } from '../../tools/authenticate.js';
import { deadlineIn } from '../../wire/deadline.js';
import type { Server } from './server.js';

/** Begins a sign-in that a model asks for, and tells what the user has to do. Never rejects. */
export async function authenticate(
  server: Server,
  context: Pick<CallContext, 'signal' | 'timeoutMs'>,
): Promise<ToolResult> {
  // The sign-in outlives this call: another call, or the user, may be in the middle of it.
  const signIn = await beginInTime(server, context);
  if (signIn instanceof HostError) return refusedResult(signIn);
  // Only where an embedder opens pages: a model may call this at any time, when no user expects a browser.
  const isOpened = signIn.kind === 'browser' && server.opensPages && (await server.openPage(signIn.url));
  return toSignInResult(server.name, signIn, isOpened);
}

/** Limits the wait: the sign-in page's address comes from other servers, which may not answer for long. */
function beginInTime(
  server: Server,
  { signal, timeoutMs }: Pick<CallContext, 'signal' | 'timeoutMs'>,
): Promise<SignIn | HostError> {
  return within(server.signIn({}), {
    signal,
    deadline: deadlineIn(server.clock, timeoutMs),
    instead: (why) => {
      const { name } = server;
      if (why === 'aborted')
        return new HostError('cancelled', `The call was cancelled while a sign-in to "${name}" was begun`);
      const text = `Where to sign in to "${name}" could not be found out within ${timeoutMs} ms`;
      return new HostError('call-timeout', text, { hint: 'Call it again in a moment: it is still being found out' });
    },
  });
}
