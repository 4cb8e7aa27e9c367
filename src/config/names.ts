import { gateLine } from '../model/text-gate.js';
import type { ProblemCode } from './problem.js';
import type { ScopeName } from './scope.js';
import { PLUGIN_PREFIX } from './scopes/plugin.js';

/** Names that mean something built in, here or on the hosts whose files people bring along. */
export const reservedNames: readonly string[] = [
  'workspace',
  'claude-in-chrome',
  'computer-use',
  'Claude Preview',
  'Claude Browser',
  'plugboard',
];

const NAME_LIMIT = 300; // longer than any name seen; the tool names made of it are cut at 64 anyway

export interface NameFault {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
}

/** Why a name in a file cannot be used. Files may hold nearly any name; typing one is stricter, see `typedNameFault`. */
export function nameFault(name: string, scope: ScopeName): NameFault | undefined {
  if (name.trim() === '') {
    return { code: 'invalid-entry', message: 'a server has an empty name', hint: 'Give it a name' };
  }
  if (name !== name.trim() || gateLine(name).findings.length > 0) {
    const message = 'its name has characters that do not show, or blanks around it';
    return { code: 'invalid-entry', message, hint: 'Rename the server' };
  }
  if (name.length > NAME_LIMIT) {
    return {
      code: 'invalid-entry',
      message: `its name is ${name.length} characters long; ${NAME_LIMIT} is the limit`,
      hint: 'Shorten it',
    };
  }
  if (reservedNames.includes(name)) {
    return { code: 'reserved-name', message: 'this name is reserved', hint: 'Rename the server' };
  }
  if (scope !== 'plugin' && name.startsWith(PLUGIN_PREFIX)) {
    return {
      code: 'reserved-name',
      message: `names that begin with "${PLUGIN_PREFIX}" belong to plugins`,
      hint: 'Rename the server',
    };
  }
  return undefined;
}

/** What `add` accepts: a name that can be typed again, in a shell, in a rule and in a tool's name. */
export function typedNameFault(name: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/u.test(name)) {
    return `Invalid name ${name}. Names can only contain letters, numbers, hyphens, and underscores.`;
  }
  if (name.length > NAME_LIMIT)
    return `Invalid name: it is ${name.length} characters long; ${NAME_LIMIT} is the limit.`;
  return reservedNames.includes(name) ? `Cannot add MCP server "${name}": this name is reserved.` : undefined;
}
