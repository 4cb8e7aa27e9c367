import type { Scope } from '../scope.js';
import { connectors } from './connectors.js';
import { dynamic } from './dynamic.js';
import { enterprise } from './enterprise.js';
import { linked } from './linked.js';
import { local } from './local.js';
import { plugin } from './plugin.js';
import { project } from './project.js';
import { user } from './user.js';

/** Strongest first: the order is the precedence. */
export const scopes: readonly Scope[] = [enterprise, dynamic, local, project, user, linked, plugin, connectors];
