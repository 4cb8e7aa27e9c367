import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { showLine } from '../../model/show.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { type Action, defineAction } from '../action.js';
import { type ActionContext, waitFor } from '../action-context.js';
import { hostOf, loadedOf, serverOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { mustRun } from '../barrier.js';
import { signInOpening } from '../openings.js';
import { dynamicHint } from './dynamic-hint.js';
import { loadServerTexts } from '../server-texts.js';
import { hostNotes, hostsToTell, type HostsTold } from '../tell-hosts.js';
import type { ServerAsOf } from '../told.js';
import { asWaited, codeOfState, reasonOf, toneOfState } from '../waited-state.js';

const args = {
  server: { kind: 'server' },
  noBrowser: { kind: 'flag', summary: 'show the sign-in address, open no browser' },
  device: { kind: 'flag', summary: 'with a code that you type on another device' },
  scope: { kind: 'texts', value: 'RIGHTS', summary: 'scopes to ask for besides those that the server names' },
  force: { kind: 'flag', summary: 'sign in again, though you are signed in: as another user or with other rights' },
} as const;

type Args = ArgsOf<typeof args>;

interface SignedIn {
  readonly shown: ServerAsOf;
  /** The server was connected already: no sign-in was needed. */
  readonly isOld: boolean;
  readonly scopes: readonly string[];
  readonly hosts: HostsTold;
  readonly notes: readonly string[];
  readonly reason: HostError | undefined;
}

/** Signs in, and notifies every running host of this user. Rejects when the sign-in does not succeed. */
export const login: Action<typeof args, SignedIn> = defineAction({
  name: 'login',
  label: 'sign in',
  doing: 'signing in',
  summary: 'Sign in to a server, in a browser or with a device code',
  args,
  needs: 'host',
  opening: signInOpening,
  barrier: mustRun,
  isOffered: ({ canSignIn }) => canSignIn,
  async run(on, given, context) {
    const { server: name, force, scope } = given;
    const { host, isTransient } = hostOf(on);
    const server = await serverOf(on, name);
    const { target } = await loadServerTexts();
    const shownAs = (state: ServerState): ServerAsOf => ({ server, state, target: target(server) });
    const notes: string[] = [];
    // The host of a session shows its problems itself.
    using _ = isTransient ? host.on('problem', ({ message }) => notes.push(showLine(message))) : undefined;
    const running = host[inside].server(name);
    const canSignIn = running?.server.credentials?.canSignIn === true;
    // In a session users see the server's state, so their request is taken as meant. A server that refuses a request
    // says which scopes it wants: it is asked also where the user wants to sign in again.
    const isKnown = isTransient && canSignIn && (await isConnected(name, host, context));
    if (isKnown && !force && scope.length === 0) {
      return { shown: shownAs(host.server(name)!), isOld: true, scopes: [], hosts: [], notes, reason: undefined };
    }
    const tell = hostsToTell(host, name);
    const { scopes, warning } = await performSignIn(given, host, context);
    if (warning !== undefined) notes.push(`warning: ${showLine(warning)}`);
    if (running && !['pending', 'connected'].includes(running.status.kind)) running.start('sign-in');
    const telling = tell();
    const reason = reasonOf(await waitFor(Promise.resolve(running?.settled()), context));
    const state = host.server(name);
    if (!state) throw new HostError('unknown-server', `Server "${name}" is no longer configured`);
    if (isTransient && !notes.some((note) => note.includes('are kept in'))) {
      const { keptWhere } = await import('../../host/kept-where.js');
      const where = keptWhere(await loadedOf(on), server);
      if (where !== undefined) notes.push(showLine(where));
    }
    return { shown: shownAs(asWaited(state, reason)), isOld: false, scopes, hosts: await telling, notes, reason };
  },
  json: ({ shown: { server, state }, isOld, scopes, hosts }) => ({
    ...state,
    server: server.name,
    isNew: !isOld,
    scopes,
    hosts,
  }),
  tell: ({ shown, isOld, hosts, notes, reason }) => {
    const { server, state } = shown;
    const again = `No sign-in is needed now. To sign in again: ${commandFor(server.name, ' --force')}`;
    return {
      tone: toneOfState(state),
      parts: [{ kind: 'server', ...shown }],
      notes: [...notes, ...(isOld ? [dynamicHint(again, server)] : []), ...hostNotes(hosts)],
      code: codeOfState(state, reason),
    };
  },
});

/** Whether the server connects without a new sign-in. Throws when it cannot be reached. */
async function isConnected(name: string, host: Host, context: ActionContext): Promise<boolean> {
  const running = host[inside].server(name)!;
  if (running.status.kind === 'idle') running.start('use');
  const waited = await waitFor(running.settled(), context);
  if (waited.kind !== 'settled') throw new HostError('cancelled', `Stopped while server "${name}" was being connected`);
  const { status } = running;
  if (status.kind === 'failed' && UNREACHABLE.has(status.error.code)) throw status.error;
  return status.kind === 'connected';
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'connect-failed',
  'connect-timeout',
  'config-invalid',
  'url-refused',
]);

/** Returns the scopes that were requested, and a warning to show although the sign-in succeeded. */
async function performSignIn(
  given: Args,
  host: Host,
  { signal, presentSignIn }: ActionContext,
): Promise<{ readonly scopes: readonly string[]; readonly warning?: string | undefined }> {
  const { server: name, device, noBrowser } = given;
  const scopes = given.scope.flatMap((words) => words.split(/[\s,]+/u).filter(Boolean));
  const begun = await host.signIn(name, {
    signal,
    ...(device && { way: 'device' }),
    ...(scopes.length > 0 && { scopes }),
  });
  if (begun.kind === 'done') return { scopes };
  if (begun.kind === 'failed') throw signal?.aborted === true ? stopped(given) : begun.error;
  if (!presentSignIn) {
    begun.cancel();
    throw new HostError('needs-terminal', `Cannot ask you to sign in to "${name}": no terminal`, {
      hint: commandFor(name, ''),
    });
  }
  const end = await presentSignIn(begun, { name, opensBrowser: !noBrowser, openUrl: (url) => host.openUrl(url) });
  switch (end.kind) {
    case 'signed-in':
      return { scopes: begun.kind === 'browser' ? begun.scopes : scopes, warning: end.warning };
    case 'failed':
      if (signal?.aborted === true) throw stopped(given);
      throw Date.now() < begun.expiresAt ? end.error : tooLate(end.error);
    case 'cancelled':
      throw stopped(given);
    default:
      return unreachable(end);
  }
}

/** A sign-in that timed out, with a code of its own: scripts must tell it from a refusal. */
function tooLate({ message, hint }: HostError): HostError {
  return new HostError('call-timeout', message, hint === undefined ? {} : { hint });
}

function stopped({ server: name, force, scope, noBrowser, device }: Args): HostError {
  const isAgain = force || scope.length > 0;
  const what = `Not signed in to "${name}"${isAgain ? ' again' : ''}: stopped before it was done`;
  // The flags of this sign-in, repeated in the hint.
  const flags = [
    ...(noBrowser ? [' --no-browser'] : []),
    ...(device ? [' --device'] : []),
    ...(force ? [' --force'] : []),
    ...scope.map((rights) => ` --scope ${shellWord(rights)}`),
  ].join('');
  return new HostError('cancelled', isAgain ? `${what}; the earlier sign-in is kept` : what, {
    hint: commandFor(name, flags),
  });
}

/** Flags go before a name that looks like a flag, because nothing after such a name is read as a flag. */
function commandFor(name: string, flags: string): string {
  return showLine(
    `plugboard login${name.startsWith('-') ? `${flags} ${nameWord(name)}` : ` ${nameWord(name)}${flags}`}`,
  );
}
