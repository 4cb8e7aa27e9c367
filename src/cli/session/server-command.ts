import type { Action } from '../../actions/action.js';
import type { ActionContext } from '../../actions/action-context.js';
import { type ArgsOf, type ArgumentSpecs, toArgs } from '../../actions/arguments.js';
import { login } from '../../actions/servers/login.js';
import { perform, serversFor } from '../../actions/perform.js';
import { draw, noteLines } from '../../actions/told.js';
import { showExact } from '../../model/show.js';
import type { OpenDialog } from '../dialogs/open-dialog.js';
import { openScreenDialog } from '../terminal/dialog-io.js';
import { sessionActionContext, drawingOn } from './session-dialogs.js';
import type { CommandContext } from './command.js';

export interface ServerCommandOptions {
  /** Undefined: every server that the action applies to. */
  readonly name: string | undefined;
  /** As typed, such as `--device`. */
  readonly flags: readonly string[];
  /** Arguments that the command sets itself. */
  readonly marks: ArgsOf<ArgumentSpecs>;
}

/** Runs an action as a command of the session, on its host, and draws the outcome. Rejects with a HostError. */
export async function runServerCommand(
  action: Action,
  context: CommandContext,
  { name, flags, marks }: ServerCommandOptions,
): Promise<void> {
  const { session, screen, io } = context;
  const on = { kind: 'host', host: session.host, isTransient: false } as const;
  const isOfMany = Object.values(action.args).some(({ kind }) => kind === 'servers');
  const names = name !== undefined ? [name] : isOfMany ? [] : await serversFor(action, on);
  const values = (flag: string): readonly string[] => (flags.includes(`--${flag}`) ? [''] : []);
  const orders = (isOfMany ? [names] : names.map((one) => [one])).map((servers) => ({
    ...toArgs(action.args, { servers, values }),
    ...marks,
  }));
  // A sign-in takes the whole screen.
  if (action.needs === 'host' && action !== login) {
    const what = names.length === 1 ? showExact(names[0]) : `${names.length} servers`;
    const doing = `${action.doing.charAt(0).toUpperCase()}${action.doing.slice(1)}`;
    screen.show('work', [`${doing} ${what} (Ctrl-C stops waiting)`]);
  }
  const here = { ...sessionActionContext({ ...context, now: io.now }), presentSignIn: presenting(context) };
  const acting = orders.map((args) => perform(action, on, args, here));
  const done = await Promise.all(acting).finally(() => screen.show('work', undefined));
  const lines = done.flatMap(({ told }) => [...draw(told.parts, drawingOn(screen)), ...noteLines(told.notes)]);
  if (lines.length > 0) screen.print(lines.join('\n'));
}

/** Shows the sign-in on the screen, when no other dialog is open. */
function presenting({ screen, asking, io, invocation, signal }: CommandContext): ActionContext['presentSignIn'] {
  return async (signIn, options) => {
    const cancel = (): void => signIn.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const { showSignIn } = await import('../sign-in/sign-in-screen.js');
      const openDialog = (): OpenDialog => openScreenDialog(io, screen);
      return await asking.enqueue(() => showSignIn(signIn, { io, invocation, openDialog, ...options }), signal);
    } catch {
      return { kind: 'cancelled' }; // the caller has stopped waiting
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
