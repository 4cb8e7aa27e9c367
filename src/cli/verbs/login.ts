import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/server.js';
import type { Told } from '../../host/command-socket.js';
import type { ServerState } from '../../host/server-state.js';
import { adHocServer } from '../ad-hoc.js';
import { type Invocation, onlyName } from '../arguments.js';
import { clientOptions } from '../client-flags.js';
import { exitCodeOf } from '../io.js';
import { loadRun } from '../load.js';
import type { HostRun, Waited } from '../open-host.js';
import { showLine } from '../../model/show.js';
import { screenColumns, styleFor } from '../style.js';
import { hostNotes, hostsToTell } from '../../actions/tell-hosts.js';
import type { Outcome, Run, Verb } from '../verb.js';

export const login: Verb = {
  name: 'login',
  aliases: ['auth'],
  usage: 'NAME[@ACCOUNT] | URL [--no-browser] [--device] [--scope RIGHTS] [--force]',
  summary: 'Sign in to a server that wants it, with a browser or with a code',
  completes: 'server',
  options: [
    { name: 'no-browser', summary: 'only show the address of the page' },
    { name: 'device', summary: 'by a code that is typed in on any other device' },
    {
      name: 'scope',
      value: 'RIGHTS',
      repeatable: true,
      summary: 'rights to ask for besides those that the server names',
    },
    { name: 'force', summary: 'sign in again though it works: as somebody else, or with other rights' },
    ...clientOptions,
  ],
  examples: [
    'plugboard login github',
    'plugboard login github@work',
    'plugboard login github --scope "repo read:org"',
    'plugboard login github --no-browser',
  ],
  async run(given, io) {
    const adHoc = adHocServer(given);
    const name = adHoc?.name ?? onlyName(given);
    const invocation = adHoc?.invocation ?? given;
    const { namedAccount } = await import('../login-account.js');
    const named = await namedAccount(name, await loadRun(invocation, io), { invocation, io });
    let isSignedIn = false;
    try {
      const { givenClient } = await import('../login-client.js');
      const client = await givenClient({ invocation, io }, named.loaded, named.server);
      const used = client?.invocation ?? invocation;
      const loaded = client ? await loadRun(used, io) : named.loaded;
      const done = await signIn(name, { invocation: used, io, loaded });
      isSignedIn = true;
      const kept = client ? [await client.keep()] : [];
      return await toOutcome(done, { kept, invocation, io });
    } finally {
      if (!isSignedIn) await named.undo?.();
    }
  },
};

interface Circumstances extends Run {
  readonly loaded: LoadedConfig;
}

interface SignedIn {
  readonly server: ConfiguredServer;
  readonly state: ServerState;
  readonly waited: Waited;
  /** Nothing had to be done. */
  readonly isOld: boolean;
  readonly scopes: readonly string[];
  readonly hosts: readonly Told[];
  readonly notes: readonly string[];
}

/** Throws when nobody is signed in at the end of it. */
async function signIn(name: string, { invocation, io, loaded }: Circumstances): Promise<SignedIn> {
  const { withHost } = await import('../open-host.js');
  const { chooseServers } = await import('../../actions/choose-servers.js');
  const server = chooseServers(loaded, name)[0]!;
  // A lazy start: one that cannot be signed in to is not started for that.
  return withHost({ invocation, io, loaded, only: [name], start: 'lazy' }, async (run) => {
    const { host, notes } = run;
    using _ = host.on('problem', ({ message }) => notes.push(showLine(message)));
    const connection = host.connection(name);
    const canSignIn = connection?.server.credentials?.canSignIn === true;
    const isAsked = canSignIn && !invocation.has('force') && !invocation.has('scope');
    if (isAsked && (await isConnected(name, run))) {
      const state = host.server(name)!;
      return { server, state, waited: { kind: 'settled' }, isOld: true, scopes: [], hosts: [], notes };
    }
    const scopes = await performSignIn(name, run, { invocation, io });
    if (connection && !['pending', 'connected'].includes(connection.status.kind)) connection.start('sign-in');
    const telling = hostsToTell(host, name)();
    const waited = await run.settled();
    const { reasonOf } = await import('../open-host.js');
    const { asWaited } = await import('../../actions/waited-state.js');
    const { keptWhere } = await import('../kept-where.js');
    const where = keptWhere(loaded, server);
    const told = notes.some((note) => note.includes('are kept in'));
    return {
      server,
      state: asWaited(host.server(name)!, reasonOf(waited)),
      waited,
      isOld: false,
      scopes,
      hosts: await telling,
      notes: where === undefined || told ? notes : [...notes, showLine(where)],
    };
  });
}

/** Whether it works as it is. Throws when it cannot even be reached. */
async function isConnected(name: string, run: HostRun): Promise<boolean> {
  const connection = run.host.connection(name)!;
  if (connection.status.kind === 'idle') connection.start('use');
  const { kind } = await run.settled();
  if (kind !== 'settled') throw new HostError('cancelled', `Stopped while server "${name}" was being connected`);
  const { status } = connection;
  if (status.kind === 'failed' && UNREACHABLE.has(status.error.code)) throw status.error;
  return status.kind === 'connected';
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'connect-failed',
  'connect-timeout',
  'config-invalid',
  'url-refused',
]);

/** The rights that were asked for. */
async function performSignIn(
  name: string,
  { host, signal }: HostRun,
  { invocation, io }: Run,
): Promise<readonly string[]> {
  const scopes = invocation.values('scope').flatMap((words) => words.split(/[\s,]+/u).filter(Boolean));
  const begun = await host.signIn(name, {
    signal,
    ...(invocation.has('device') && { way: 'device' }),
    ...(scopes.length > 0 && { scopes }),
  });
  if (begun.kind === 'done') return scopes;
  if (begun.kind === 'failed') throw signal.aborted ? stopped(name, invocation) : begun.error;
  const { showSignIn } = await import('../sign-in-screen.js');
  const end = await showSignIn(begun, { name, io, invocation, openUrl: (url) => host.openUrl(url) });
  switch (end.kind) {
    case 'signed-in':
      if (end.warning !== undefined && !invocation.has('quiet')) io.stderr.write(`warning ${showLine(end.warning)}\n`);
      return begun.kind === 'browser' ? begun.scopes : scopes;
    case 'failed':
      if (signal.aborted) throw stopped(name, invocation);
      throw Date.now() < begun.expiresAt ? end.error : tooLate(end.error);
    case 'cancelled':
      throw stopped(name, invocation);
    default:
      return unreachable(end);
  }
}

/** Nobody came: to a script that is another thing than a refusal. */
function tooLate({ message, hint }: HostError): HostError {
  return new HostError('call-timeout', message, hint === undefined ? {} : { hint });
}

function stopped(name: string, invocation: Invocation): HostError {
  const isAgain = invocation.has('force') || invocation.has('scope');
  const what = `Not signed in to "${name}"${isAgain ? ' again' : ''}: stopped before it was done`;
  return new HostError('cancelled', isAgain ? `${what}; what was there before is kept` : what, {
    hint: commandFor(name, flagsOf(invocation)),
  });
}

/** What was said about this sign-in, to be said again. */
function flagsOf(invocation: Invocation): string {
  return [
    ...['no-browser', 'device', 'force'].filter((flag) => invocation.has(flag)).map((flag) => ` --${flag}`),
    ...invocation.values('scope').map((scope) => ` --scope ${shellWord(scope)}`),
  ].join('');
}

/** Behind a name that looks like a flag nothing is one any more. */
function commandFor(name: string, flags: string): string {
  return showLine(
    `plugboard login${name.startsWith('-') ? `${flags} ${nameWord(name)}` : ` ${nameWord(name)}${flags}`}`,
  );
}

async function toOutcome(
  { server, state, waited, isOld, scopes, hosts, notes }: SignedIn,
  { kept, invocation, io }: Run & { readonly kept: readonly string[] },
): Promise<Outcome> {
  const { linesOf } = await import('../server-view.js');
  const { codeOfState } = await import('../../actions/waited-state.js');
  const { reasonOf } = await import('../open-host.js');
  const code = codeOfState(state, reasonOf(waited));
  const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
  const again = `It works as it is. To sign in again: ${commandFor(server.name, ' --force')}`;
  const { loginCommand } = await import('../login-command.js');
  return {
    data: { ...state, server: server.name, isNew: !isOld, scopes, hosts },
    text: linesOf(server, state, { style, columns: screenColumns(io.stdout) })
      .map((line) => line.slice(2))
      .join('\n'),
    notes: [...kept, ...notes, ...(isOld ? [loginCommand(again, server)] : []), ...hostNotes(hosts)],
    ...(code && { exitCode: exitCodeOf(code) }),
  };
}
