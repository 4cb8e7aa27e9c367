import type { Action } from '../../actions/action.js';
import { approve } from '../../actions/servers/approve.js';
import { login } from '../../actions/servers/login.js';
import { logout } from '../../actions/servers/logout.js';
import { logs } from '../../actions/servers/logs.js';
import { reconnect } from '../../actions/servers/reconnect.js';
import { disable, enable } from '../../actions/servers/toggle.js';
import { barrierText, factsOfRow } from './act-in-panel.js';
import type { PanelServer } from './panel-data.js';

/** The actions that have a key. Label, summary, barrier and offer come from the action. */
export const panelKeys = [
  { action: approve, name: 'approve', keys: ['a'] },
  { action: login, name: 'login', keys: ['l'] },
  { action: reconnect, name: 'reconnect', keys: ['r'] },
  { action: enable, name: 'enable', keys: ['e'] },
  { action: disable, name: 'disable', keys: ['d'] },
  { action: logs, name: 'logs', keys: ['g', 'L'] },
  { action: logout, name: 'logout', keys: ['o'] },
] as const;

export type KeyedAction = (typeof panelKeys)[number]['name'];

export function actionOf(name: KeyedAction): Action {
  return panelKeys.find((one) => one.name === name)!.action;
}

/** Why this action cannot be done with this server, as a sentence; undefined when it can. */
export function barrierTo(name: KeyedAction, server: PanelServer): string | undefined {
  return barrierText(actionOf(name), server, (next) => {
    const found = panelKeys.find((one) => one.name === next);
    return found && { key: found.keys[0], label: found.action.label };
  });
}

/** Whether the row of keys shows the action. */
export function isOffered(name: KeyedAction, server: PanelServer): boolean {
  return barrierTo(name, server) === undefined && (actionOf(name).isOffered?.(factsOfRow(server)) ?? true);
}
