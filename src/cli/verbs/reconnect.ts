import type { ErrorCode } from '../../base/errors.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ServerState } from '../../host/server-state.js';
import type { Told } from '../../host/command-socket.js';
import { onlyName } from '../arguments.js';
import { exitCodeOf, exitCodes } from '../io.js';
import { loadRun } from '../load.js';
import type { Waited } from '../open-host.js';
import { screenColumns, styleFor } from '../style.js';
import type { Verb } from '../verb.js';

export const reconnect: Verb = {
  name: 'reconnect',
  usage: 'NAME',
  summary: 'Forget what is known of one server, connect to it once, and tell the hosts that run',
  completes: 'server',
  examples: ['plugboard reconnect github', 'plugboard reconnect github --timeout 5000'],
  async run(invocation, io) {
    const name = onlyName(invocation);
    const loaded = await loadRun(invocation, io);
    const { chooseServers } = await import('../choose-servers.js');
    const [server] = chooseServers(loaded, name);
    if (!server) throw (await import('../../config/manage.js')).unknownServer(loaded, name);
    const { withHost } = await import('../open-host.js');
    const { asWaited, linesOf } = await import('../server-view.js');
    // A lazy start: it is to be connected to once, and by what is forgotten first.
    const options = { invocation, io, loaded, only: [name], start: 'lazy' } as const;
    const { state, waited, hosts, notes } = await withHost(options, async (run) => {
      const telling = tellRunning(loaded, name, run.host.connection(name)?.server.hash);
      const ended = await run.settled(run.host.reconnect(name));
      const found = run.host.server(name)!;
      return { state: asWaited(found, ended), waited: ended, hosts: await telling, notes: run.notes };
    });
    const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
    return {
      data: { ...state, hosts },
      text: linesOf(server, state, { style, columns: screenColumns(io.stdout) })
        .map((line) => line.slice(2))
        .join('\n'),
      notes: [...notes, ...hostNotes(hosts)],
      exitCode: codeOf(state, waited),
    };
  },
};

async function tellRunning(
  { context }: LoadedConfig,
  server: string,
  hash: string | undefined,
): Promise<readonly Told[]> {
  const { runtime } = context.places;
  if (runtime === undefined) return [];
  const { tellHosts } = await import('../../host/command-socket.js');
  return tellHosts(runtime, { command: 'reconnect', server, ...(hash !== undefined && { hash }) });
}

function hostNotes(hosts: readonly Told[]): string[] {
  const counted = (outcome: Told['outcome']): number => hosts.filter((host) => host.outcome === outcome).length;
  const done = counted('done');
  const silent = hosts.filter(({ outcome }) => outcome === 'no-answer').map(({ pid }) => pid);
  return [
    ...(done > 0 ? [`${done} running host${done === 1 ? ' reconnects' : 's reconnect'}, too`] : []),
    ...(silent.length > 0 ? [`warning a running host did not answer: process ${silent.join(', ')}`] : []),
    ...(done === 0 && silent.length === 0 ? ['No running host has this server'] : []),
  ];
}

function codeOf({ status, error }: ServerState, { kind }: Waited): number {
  if (kind === 'interrupted') return exitCodes.interrupted;
  if (status === 'connected') return exitCodes.done;
  if (status === 'needs-auth') return exitCodes.signIn;
  return error ? exitCodeOf(error.code as ErrorCode) : exitCodes.failed;
}
