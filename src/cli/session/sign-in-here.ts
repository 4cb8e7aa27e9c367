import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { untilAborted } from '../../base/until-aborted.js';
import type { Invocation } from '../arguments.js';
import { showExact, showLine } from '../../model/show.js';
import { showSignIn } from '../sign-in-screen.js';
import { hostNotes, hostsToTell } from '../../actions/tell-hosts.js';
import type { CommandContext } from './command.js';
import { findRunning, stateLines } from './server-deeds.js';

/** Whoever has the screen signs in to a server: its tools are there afterwards. Throws when nobody is signed in at the end of it. */
export async function signInHere(
  context: CommandContext,
  given: string | undefined,
  flags: readonly string[] = [],
): Promise<void> {
  const { session, screen, signal } = context;
  const { host } = session;
  const { name } = findRunning(context, given);
  const begun = await host.signIn(name, { signal, ...(flags.includes('--device') && { way: 'device' }) });
  if (begun.kind === 'failed') throw signal.aborted ? stopped(name) : begun.error;
  if (begun.kind !== 'done') {
    const options = {
      name,
      io: context.io,
      invocation: withFlags(context.invocation, flags),
      openUrl: (url: string) => host.openUrl(url),
    };
    const cancel = (): void => begun.cancel();
    signal.addEventListener('abort', cancel);
    const end = await showSignIn(begun, options).finally(() => signal.removeEventListener('abort', cancel));
    switch (end.kind) {
      case 'signed-in':
        if (end.warning !== undefined) screen.print(screen.style.yellow(showLine(end.warning)));
        break;
      case 'failed':
        throw end.error;
      case 'cancelled':
        throw stopped(name);
      default:
        return unreachable(end);
    }
  }
  screen.print(`Signed in to ${showExact(name)}.`);
  const connection = host.connection(name);
  if (connection && !['pending', 'connected'].includes(connection.status.kind)) connection.start('sign-in');
  await untilAborted(Promise.resolve(connection?.settled()), signal, () => undefined);
  const hosts = await hostsToTell(host, name)();
  screen.print([...stateLines(context, name), ...hostNotes(hosts)].join('\n'));
}

function withFlags(invocation: Invocation, flags: readonly string[]): Invocation {
  return { ...invocation, has: (option) => flags.includes(`--${option}`) || invocation.has(option) };
}

function stopped(name: string): HostError {
  return new HostError('cancelled', `Not signed in to "${name}": stopped before it was done`, {
    hint: `/mcp login ${name}`,
  });
}
