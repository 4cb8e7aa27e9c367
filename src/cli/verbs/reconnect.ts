import { onlyName } from '../arguments.js';
import { loadToStart } from '../load-to-start.js';
import { screenColumns, styleFor } from '../style.js';
import { hostNotes, tellRunning } from '../tell-hosts.js';
import type { Verb } from '../verb.js';

export const reconnect: Verb = {
  name: 'reconnect',
  usage: 'NAME',
  summary: 'Forget what is known of one server, connect to it once, and tell the hosts that run',
  completes: 'server',
  examples: ['plugboard reconnect github', 'plugboard reconnect github --timeout 5000'],
  async run(invocation, io) {
    const name = onlyName(invocation);
    const loaded = await loadToStart(invocation, io, { starts: (server) => server.name === name });
    const { chooseServers } = await import('../choose-servers.js');
    const [server] = chooseServers(loaded, name);
    if (!server) throw (await import('../../config/manage.js')).unknownServer(loaded, name);
    const { withHost } = await import('../open-host.js');
    const { asWaited, exitCodeOfState, linesOf } = await import('../server-view.js');
    // A lazy start: it is to be connected to once, and by what is forgotten first.
    const options = { invocation, io, loaded, only: [name], start: 'lazy' } as const;
    const { state, waited, hosts, notes } = await withHost(options, async (run) => {
      const telling = tellRunning(loaded.context, name, { hash: run.host.connection(name)?.server.hash });
      const ended = await run.settled(run.host.reconnect(name));
      const found = run.host.server(name)!;
      return { state: asWaited(found, ended), waited: ended, hosts: await telling, notes: run.notes };
    });
    const told = hostNotes(hosts);
    const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
    return {
      data: { ...state, hosts },
      text: linesOf(server, state, { style, columns: screenColumns(io.stdout) })
        .map((line) => line.slice(2))
        .join('\n'),
      notes: [...notes, ...(told.length > 0 ? told : ['No running host has this server'])],
      exitCode: exitCodeOfState(state, waited),
    };
  },
};
