import type { Action } from './action.js';
import { disable, enable } from './toggle.js';

/** What can be done with a server, in the order in which faces show it. */
export const actions: readonly Action[] = [enable, disable];
