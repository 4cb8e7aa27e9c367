import type { Action } from './action.js';
import { logout } from './logout.js';
import { reconnect } from './reconnect.js';
import { disable, enable } from './toggle.js';

/** What can be done with a server, in the order in which faces show it. */
export const actions: readonly Action[] = [reconnect, enable, disable, logout];
