import type { SignIn, SignInOptions } from '../../auth/sign-in.js';
import type { SignOut } from '../../auth/sign-ins.js';
import { HostError } from '../../base/errors.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { HostParts } from '../host-parts.js';
import { closedServer } from '../servers/server.js';

/** Begins a sign-in to a server, which connects when it is done. Never rejects. */
export async function signIn(parts: HostParts, name: string, options: SignInOptions): Promise<SignIn> {
  const error = whyNot(parts, name);
  if (error) return { kind: 'failed', error };
  const { servers, services } = parts;
  return servers.get(name)?.signIn(options) ?? services.identities.signIn(servers.entry(name)!, options);
}

/** Deletes the sign-in to a server, and revokes it where that is possible. Never rejects. */
export async function signOut(parts: HostParts, name: string): Promise<SignOut> {
  const error = whyNot(parts, name);
  if (error) return { kind: 'failed', error };
  const { servers, services } = parts;
  return servers.get(name)?.signOut() ?? services.identities.signOut(servers.entry(name)!);
}

function whyNot({ servers }: HostParts, name: string): HostError | undefined {
  if (servers.isClosed) return closedServer(name);
  if (servers.entry(name)) return undefined;
  return new HostError('unknown-server', `There is no server "${gateLine(name, { limit: 200 }).text}"`, {
    hint: 'plugboard list',
  });
}
