import type { SignIn, SignInOptions } from '../auth/sign-in.js';
import type { SignInTarget } from '../auth/sign-in-target.js';
import type { SignOut } from '../auth/sign-ins.js';
import { HostError } from '../base/errors.js';
import { toAbsence } from '../connection/absence.js';
import { gateLine } from '../model/text-gate.js';
import type { Fleet } from './fleet.js';
import { isServedBy, toTarget } from './sign-in-targets.js';

/** Begins to sign in to a server. Never rejects; when it is done, the server is connected by itself. */
export async function signIn(fleet: Fleet, name: string, options: SignInOptions): Promise<SignIn> {
  const definition = fleet.definition(name);
  const barred = barrierOf(fleet, name);
  if (!definition || barred) return { kind: 'failed', error: barred ?? unknownServer(name) };
  const begun = await fleet.identities.signIn(definition, { challenge: challengeOf(fleet, name), ...options });
  const target = toTarget(definition, undefined);
  if (begun.kind === 'done' && target) resumeSignedIn(fleet, target);
  return begun;
}

/** Why nobody is sent to its pages: a server that nobody has agreed to says where those are. */
function barrierOf(fleet: Fleet, name: string): HostError | undefined {
  if (fleet.isClosed) return closed(name);
  const status = fleet.connection(name)?.status;
  return status?.kind === 'disabled' ? toAbsence(name, status) : undefined;
}

/** What the server said when it wanted to know who asks. */
function challengeOf(fleet: Fleet, name: string): string | undefined {
  const status = fleet.connection(name)?.status;
  const detail = status?.kind === 'needs-auth' ? status.error.detail : undefined;
  return detail?.kind === 'http' ? detail.challenge : undefined;
}

/** Forgets the sign-in to a server, and has it revoked where that can be done. Never rejects. */
export async function signOut(fleet: Fleet, name: string): Promise<SignOut> {
  const definition = fleet.definition(name);
  if (fleet.isClosed) return { kind: 'failed', error: closed(name) };
  if (!definition) return { kind: 'failed', error: unknownServer(name) };
  const end = await fleet.identities.signOut(definition);
  const connection = fleet.connection(name);
  // It finds out by itself that nobody is signed in any more.
  if (end.kind === 'signed-out' && connection?.status.kind === 'connected') connection.start('user');
  return end;
}

/** Whoever waits for this sign-in, by whichever name, goes on: at once, so that whoever waits for the server then waits for this. */
export function resumeSignedIn(fleet: Fleet, target: SignInTarget): void {
  for (const connection of fleet.connections()) {
    const definition = fleet.definition(connection.name);
    const own = definition && toTarget(definition, fleet.loaded.settings.xaaIdp);
    if (!own || !isServedBy(own, target)) continue;
    const { hash } = connection.server;
    const { kind } = connection.status;
    if (kind === 'needs-auth' || kind === 'failed') connection.start('sign-in');
    if (hash !== undefined) void fleet.dock.forgetSignIn(hash); // never rejects
  }
  // What can be called may be different now, though no state has changed: rights were added.
  fleet.retell();
  for (const fork of fleet.forks) resumeSignedIn(fork, target);
}

/** Whatever was begun now nobody would end. */
function closed(name: string): HostError {
  const shown = gateLine(name, { limit: 200 }).text;
  return new HostError('connection-closed', `"${shown}" is neither signed in to nor out of: its host is closed`);
}

function unknownServer(name: string): HostError {
  return new HostError('unknown-server', `There is no server "${gateLine(name, { limit: 200 }).text}"`, {
    hint: 'plugboard list',
  });
}
