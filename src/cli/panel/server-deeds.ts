import type { Action } from '../../actions/action.js';
import { logout } from '../../actions/logout.js';
import { reconnect } from '../../actions/reconnect.js';
import { disable, enable } from '../../actions/toggle.js';
import { unreachable } from '../../base/never.js';
import { trustCommand, untrustedText } from '../../model/untrusted-text.js';
import { labelOf } from '../../config/labels.js';
import { showExact, showLine } from '../../model/show.js';
import { barrierText, factsOfRow } from './act-in-panel.js';
import type { PanelServer } from './panel-data.js';

/** What can be done with a server, by which key. */
export const deeds = [
  { deed: 'approve', keys: ['a'], word: 'approve' },
  { deed: 'sign-in', keys: ['l'], word: 'sign in' },
  { deed: 'reconnect', keys: ['r'], word: reconnect.label, action: reconnect },
  { deed: 'enable', keys: ['e'], word: enable.label, action: enable },
  { deed: 'disable', keys: ['d'], word: disable.label, action: disable },
  { deed: 'logs', keys: ['g', 'L'], word: 'logs' },
  { deed: 'logout', keys: ['o'], word: logout.label, action: logout },
] as const;

export type Deed = (typeof deeds)[number]['deed'];

/** Why that cannot be done with it, as a sentence; undefined when it can. */
export function barrierTo(deed: Deed, server: PanelServer): string | undefined {
  const action = actionOf(deed);
  if (action) return barrierText(action, server, keyOf);
  const { state, definition, canSignIn } = server;
  const name = showExact(state.name);
  switch (deed) {
    case 'logs':
      return undefined;
    case 'approve':
      return definition.approval && definition.written
        ? undefined
        : `${name} comes from ${labelOf(definition.scope)} and needs no approval`;
    case 'sign-in':
      return idle(server) ?? (canSignIn ? undefined : `${name} does not ask for a sign-in`);
    case 'reconnect':
    case 'logout':
    case 'enable':
    case 'disable':
    default:
      return undefined; // an action says it by itself
  }
}

/** What a key does that is an action; undefined for what is none yet. */
export function actionOf(deed: Deed): Action | undefined {
  const found = deeds.find((one) => one.deed === deed);
  return found && 'action' in found ? found.action : undefined;
}

/** Whether the row of keys shows it. */
export function isOffered(deed: Deed, server: PanelServer): boolean {
  if (barrierTo(deed, server) !== undefined) return false;
  // Who has approved it may look at it again; nobody has to.
  if (deed === 'approve') return server.state.status === 'unapproved';
  return actionOf(deed)?.isOffered?.(factsOfRow(server)) ?? true;
}

function keyOf(action: string): { readonly key: string; readonly label: string } | undefined {
  const found = deeds.find(({ deed }) => deed === action);
  return found && { key: found.keys[0], label: found.word };
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
