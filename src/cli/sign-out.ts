import { unreachable } from '../base/never.js';
import type { SignOut } from '../auth/sign-ins.js';
import type { ConfigContext } from '../config/context.js';
import type { ConfiguredServer } from '../config/server.js';
import type { Told } from '../host/command-socket.js';
import type { Host } from '../host/host.js';
import { showExact } from '../model/show.js';
import { hostNotes, tellRunning } from './tell-hosts.js';

/** What came of signing out: for scripts, and in lines for people. */
export interface SignedOut {
  readonly signedOut: boolean;
  readonly revoked: boolean;
  /** The account that is gone from the list of servers. */
  readonly account?: string;
  readonly hosts: readonly Told[];
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Forgets the sign-in to a server, has it revoked where that can be done, takes an account off the list of servers, and tells every
 * host that runs. The verb, the session and the panel all do this. Throws a HostError where it cannot be done.
 */
export async function signOutOf(
  { name, accountOf }: Pick<ConfiguredServer, 'name' | 'accountOf'>,
  { host, config }: { readonly host: Host; readonly config: ConfigContext },
): Promise<SignedOut> {
  const hash = host.connection(name)?.server.hash;
  const end = await host.signOut(name);
  if (end.kind === 'failed') throw end.error;
  // Told before the account is gone: then they would no longer know whom this is about.
  const hosts = end.kind === 'signed-out' ? await tellRunning(config, name, { hash, own: host }) : [];
  const account = accountOf === undefined ? undefined : name.slice(accountOf.length + 1);
  if (accountOf !== undefined && account !== undefined) {
    const { removeAccount } = await import('../config/accounts.js');
    await removeAccount(config, accountOf, account);
  }
  return {
    signedOut: end.kind === 'signed-out',
    revoked: end.kind === 'signed-out' && end.wasRevoked,
    ...(account !== undefined && { account }),
    hosts,
    lines: [
      textOf(name, end),
      ...(account === undefined ? [] : [`The account ${showExact(account)} is gone from the list of servers`]),
    ],
    notes: hostNotes(hosts, ['is signed out', 'are signed out']),
  };
}

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
