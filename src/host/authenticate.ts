import type { SignIn } from '../auth/sign-in.js';
import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import { allowListeners } from '../edge/allow-listeners.js';
import type { CallContext, ToolResult } from '../model/tool.js';
import { toSignInResult } from '../tools/authenticate.js';
import { deadlineIn } from '../wire/deadline.js';
import type { Fleet } from './fleet.js';
import { openPage } from './open-page.js';
import { signIn as begin } from './sign-in.js';
import { refused } from '../model/failed-result.js';

/** A model wants the user to sign in: begins it, and says what the user has to do. Never rejects. */
export async function authenticate(fleet: Fleet, server: string, context: CallContext): Promise<ToolResult> {
  // It goes on without the call that began it: another one, or the user, may be in the middle of it.
  const signIn = await beginInTime(fleet, server, context);
  if (signIn instanceof HostError) return refused(signIn);
  // Only where an embedder opens pages: a model may call this at any time, and nobody expects a browser then.
  const isOpened =
    signIn.kind === 'browser' && fleet.ports.openUrl !== undefined && (await openPage(fleet, signIn.url));
  return toSignInResult(server, signIn, isOpened);
}

/** Where to send the user is asked of other servers, which may say nothing for long. */
function beginInTime(fleet: Fleet, server: string, { signal, timeoutMs }: CallContext): Promise<SignIn | HostError> {
  allowListeners(signal);
  return within(begin(fleet, server, {}), {
    signal,
    deadline: deadlineIn(fleet.ports.clock, timeoutMs),
    instead: (why) => {
      if (why === 'aborted')
        return new HostError('cancelled', `The call was cancelled while a sign-in to "${server}" was begun`);
      const text = `Where to sign in to "${server}" could not be found out within ${timeoutMs} ms`;
      return new HostError('call-timeout', text, { hint: 'Call it again in a moment: it is still being found out' });
    },
  });
}
