import { unreachable } from '../../base/never.js';
import { showExact, showLine } from '../../model/show.js';
import type { SignOut } from '../../auth/sign-ins.js';
import { type Action, defineAction } from '../action.js';
import { configOf, hostOf, serverOf } from '../action-place.js';
import { refuseShadowed } from '../barrier.js';
import { signInOpening } from '../openings.js';
import { hostNotes, hostsToTell, type HostsTold } from '../tell-hosts.js';

const args = { server: { kind: 'server' } } as const;

interface SignedOut {
  readonly server: string;
  readonly end: Exclude<SignOut, { readonly kind: 'failed' }>;
  /** The account that was removed from the list of servers; undefined when the server is no account. */
  readonly account: string | undefined;
  readonly hosts: HostsTold;
  readonly problems: readonly string[];
}

/**
 * Deletes the sign-in to a server, revokes it if the authorization server supports that, removes an account from the
 * list of servers, and notifies every running host of this user.
 */
export const logout: Action<typeof args, SignedOut> = defineAction({
  name: 'logout',
  label: 'sign out',
  doing: 'signing out',
  summary: 'Sign out of a server: forget its tokens, and revoke them where possible',
  args,
  needs: 'host',
  opening: signInOpening,
  barrier: refuseShadowed,
  isOffered: ({ server, status, canSignIn }) =>
    // An account without a sign-in can still be removed from the list.
    canSignIn && status !== 'disabled' && (status !== 'needs-auth' || server.accountOf !== undefined),
  async run(on, { server: name }) {
    const { host, isTransient } = hostOf(on);
    const { accountOf } = await serverOf(on, name);
    const problems: string[] = [];
    // The host of a session shows its problems itself.
    using _ = isTransient ? host.on('problem', ({ message }) => problems.push(showLine(message))) : undefined;
    const tell = hostsToTell(host, name);
    const end = await host.signOut(name);
    if (end.kind === 'failed') throw end.error;
    // Hosts are notified before the account is removed: afterwards they would not know its name.
    const hosts = end.kind === 'signed-out' ? await tell() : [];
    const account = accountOf === undefined ? undefined : name.slice(accountOf.length + 1);
    if (accountOf !== undefined && account !== undefined) {
      const { removeAccount } = await import('../../config/accounts.js');
      await removeAccount(configOf(on), accountOf, account);
    }
    return { server: name, end, account, hosts, problems };
  },
  json: ({ server, end, account, hosts }) => ({
    server,
    signedOut: end.kind === 'signed-out',
    revoked: end.kind === 'signed-out' && end.wasRevoked,
    ...(account !== undefined && { account }),
    hosts,
  }),
  tell: ({ server, end, account, hosts, problems }) => ({
    tone: end.kind === 'signed-out' || account !== undefined ? 'done' : 'note',
    parts: [
      textOf(server, end),
      ...(account === undefined ? [] : [`The account ${showExact(account)} is gone from the list of servers`]),
    ].map((text) => ({ kind: 'sentence', text })),
    notes: [...problems, ...hostNotes(hosts, ['is signed out', 'are signed out'])],
  }),
});

function textOf(name: string, end: SignedOut['end']): string {
  const server = showExact(name);
  switch (end.kind) {
    case 'signed-out':
      return end.wasRevoked
        ? `Signed out of ${server}: its tokens are forgotten here, and revoked at its authorization server`
        : `Signed out of ${server}: its tokens are forgotten here; its authorization server did not revoke them, so they stay valid until they expire`;
    case 'nothing':
      return `You were not signed in to ${server}`;
    default:
      return unreachable(end);
  }
}
