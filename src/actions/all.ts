import type { Action } from './action.js';
import { approve } from './approve.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { logs } from './logs.js';
import { reconnect } from './reconnect.js';
import { disable, enable } from './toggle.js';

/** What can be done with a server, in the order in which faces show it. */
export const actions: readonly Action[] = [reconnect, enable, disable, login, logout, approve, logs];
