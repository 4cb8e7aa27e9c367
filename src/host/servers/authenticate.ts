import type { SignIn } from '../../auth/sign-in.js';
import { HostError } from '../../base/errors.js';
import type { CallContext, ToolResult } from '../../model/tool.js';
import { toSignInResult } from '../../tools/authenticate.js';
import { allowListeners } from '../../wire/allow-listeners.js';
import { deadline } from '../../wire/deadline.js';
import { refused } from '../../model/failed-result.js';
import type { Server } from './server.js';

/** A model wants the user to sign in: begins it, and says what the user has to do. Never rejects. */
export async function authenticate(server: Server, context: CallContext): Promise<ToolResult> {
  // It goes on without the call that began it: another one, or the user, may be in the middle of it.
  const signIn = await inTime(server, server.signIn({}), context);
  if (signIn instanceof HostError) return refused(signIn);
  // Only where an embedder opens pages: a model may call this at any time, and nobody expects a browser then.
  const isOpened = signIn.kind === 'browser' && server.opensPages && (await server.openPage(signIn.url));
  return toSignInResult(server.name, signIn, isOpened);
}

/** Where to send the user is asked of other servers, which may say nothing for long. */
function inTime(
  { name: server, clock }: Server,
  begun: Promise<SignIn>,
  { signal, timeoutMs }: CallContext,
): Promise<SignIn | HostError> {
  return new Promise((resolve) => {
    const end = (signIn: SignIn | HostError): void => {
      timer?.[Symbol.dispose]();
      signal?.removeEventListener('abort', cancel);
      resolve(signIn);
    };
    const cancel = (): void =>
      end(new HostError('cancelled', `The call was cancelled while a sign-in to "${server}" was begun`));
    const isEndless = timeoutMs === undefined || !Number.isFinite(timeoutMs);
    const timer = isEndless
      ? undefined
      : deadline(clock, timeoutMs, () => {
          const text = `Where to sign in to "${server}" could not be found out within ${timeoutMs} ms`;
          end(new HostError('call-timeout', text, { hint: 'Call it again in a moment: it is still being found out' }));
        });
    if (signal?.aborted === true) return cancel();
    if (signal) allowListeners(signal);
    signal?.addEventListener('abort', cancel);
    return void begun.then(end); // never rejects
  });
}
