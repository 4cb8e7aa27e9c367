import { adHocServer } from '../ad-hoc.js';
import { onlyName } from '../arguments.js';
import { loadRun } from '../load.js';
import { showLine } from '../../model/show.js';
import type { Verb } from '../verb.js';

export const logout: Verb = {
  name: 'logout',
  usage: 'NAME[@ACCOUNT] | URL',
  summary: 'Forget the sign-in to a server, and have it revoked where that can be done',
  completes: 'server',
  examples: ['plugboard logout github', 'plugboard logout github@work'],
  async run(given, io) {
    const adHoc = adHocServer(given);
    const name = adHoc?.name ?? onlyName(given);
    const invocation = adHoc?.invocation ?? given;
    const loaded = await loadRun(invocation, io);
    const found = loaded.servers.find((server) => server.name === name);
    if (!found) throw (await import('../../config/manage.js')).unknownServer(loaded, name);
    const { withHost } = await import('../open-host.js');
    const options = { invocation, io, loaded, only: [name], start: 'lazy' } as const;
    return withHost(options, async ({ host, notes }) => {
      using _ = host.on('problem', ({ message }) => notes.push(showLine(message)));
      const { signOutOf } = await import('../sign-out.js');
      const { lines, notes: told, ...data } = await signOutOf(found, { host, config: loaded.context });
      return { data: { server: name, ...data }, text: lines.join('\n'), notes: [...notes, ...told] };
    });
  },
};
