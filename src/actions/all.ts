import type { Action } from './action.js';
import { approve } from './servers/approve.js';
import { login } from './servers/login.js';
import { logout } from './servers/logout.js';
import { logs } from './servers/logs.js';
import { reconnect } from './servers/reconnect.js';
import { disable, enable } from './servers/toggle.js';

/** The actions on one server, in the order in which faces show them. */
export const actions: readonly Action[] = [reconnect, enable, disable, login, logout, approve, logs];
