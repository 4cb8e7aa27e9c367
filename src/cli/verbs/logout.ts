import { unreachable } from '../../base/never.js';
import type { SignOut } from '../../auth/sign-ins.js';
import { adHocServer } from '../ad-hoc.js';
import { onlyName } from '../arguments.js';
import { loadRun } from '../load.js';
import { showExact, showLine } from '../show.js';
import { hostNotes, tellRunning } from '../tell-hosts.js';
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
      const hash = host.connection(name)?.server.hash;
      const end = await host.signOut(name);
      if (end.kind === 'failed') throw end.error;
      const account = found.accountOf === undefined ? undefined : name.slice(found.accountOf.length + 1);
      if (found.accountOf !== undefined && account !== undefined) {
        const { removeAccount } = await import('../../config/accounts.js');
        await removeAccount(loaded.context, found.accountOf, account);
      }
      const hosts = end.kind === 'signed-out' ? await tellRunning(loaded, name, hash) : [];
      return {
        data: {
          server: name,
          signedOut: end.kind === 'signed-out',
          revoked: end.kind === 'signed-out' && end.wasRevoked,
          ...(account !== undefined && { account }),
          hosts,
        },
        text: [
          textOf(name, end),
          ...(account === undefined ? [] : [`The account ${showExact(account)} is gone from the list of servers`]),
        ].join('\n'),
        notes: [...notes, ...hostNotes(hosts, ['is signed out', 'are signed out'])],
      };
    });
  },
};

function textOf(name: string, end: Exclude<SignOut, { kind: 'failed' }>): string {
  const server = showExact(name);
  switch (end.kind) {
    case 'signed-out':
      return end.wasRevoked
        ? `Signed out of ${server}: its tokens are forgotten here, and revoked at its authorization server`
        : `Signed out of ${server}: its tokens are forgotten here; its authorization server did not revoke them, so they end by themselves`;
    case 'nothing':
      return `Nobody was signed in to ${server}`;
    default:
      return unreachable(end);
  }
}
