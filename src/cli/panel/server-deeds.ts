import { unreachable } from '../../base/never.js';
import { trustCommand, untrustedText } from '../../config/folder-trust.js';
import { labelOf } from '../../config/labels.js';
import { showExact, showLine } from '../../model/show.js';
import type { PanelServer } from './panel-data.js';

/** What can be done with a server, by which key. */
export const deeds = [
  { deed: 'approve', keys: ['a'], word: 'approve' },
  { deed: 'sign-in', keys: ['l'], word: 'sign in' },
  { deed: 'reconnect', keys: ['r'], word: 'reconnect' },
  { deed: 'enable', keys: ['e'], word: 'enable' },
  { deed: 'disable', keys: ['d'], word: 'disable' },
  { deed: 'logs', keys: ['g', 'L'], word: 'logs' },
  { deed: 'sign-out', keys: ['o'], word: 'sign out' },
] as const;

export type Deed = (typeof deeds)[number]['deed'];

/** Why that cannot be done with it, as a sentence; undefined when it can. */
export function barrierTo(deed: Deed, server: PanelServer): string | undefined {
  const { state, definition, canSignIn } = server;
  const name = showExact(state.name);
  switch (deed) {
    case 'logs':
      return undefined;
    case 'approve':
      return definition.approval && definition.written
        ? undefined
        : `${name} comes from ${labelOf(definition.scope)} and needs no approval`;
    case 'enable':
      return state.status === 'disabled' ? undefined : (idle(server) ?? `${name} is not disabled`);
    case 'disable':
      if (state.status === 'disabled') return `${name} is disabled already`;
      return definition.standing.kind === 'unapproved' ? undefined : idle(server);
    case 'reconnect':
      return idle(server);
    case 'sign-in':
      return idle(server) ?? (canSignIn ? undefined : `${name} does not ask for a sign-in`);
    case 'sign-out':
      if (!canSignIn) return idle(server) ?? `${name} does not ask for a sign-in`;
      // An account that nobody is signed in with can still be taken off the list.
      return state.status === 'needs-auth' && definition.accountOf === undefined
        ? `Nobody is signed in to ${name}: l signs in`
        : idle(server);
    default:
      return unreachable(deed);
  }
}

/** Why it does not run, which is not a failure. */
function idle({ state, definition }: PanelServer): string | undefined {
  const { standing } = definition;
  const name = showExact(state.name);
  switch (standing.kind) {
    case 'ready':
      return state.status === 'disabled' ? `${name} is disabled: e enables it` : undefined;
    case 'disabled':
      return `${name} is disabled: e enables it`;
    case 'unapproved':
      return `${name} is not approved: a shows all of it`;
    case 'untrusted':
      return showLine(`${name} ${untrustedText(standing)}: ${trustCommand(standing.folder)}`);
    case 'denied':
    case 'invalid':
      return showLine(`${name} may not run: ${standing.reason}`);
    case 'suppressed':
      return showLine(`This definition of ${name} gives way to "${standing.by.name}" (${standing.by.scope})`);
    default:
      return unreachable(standing);
  }
}
