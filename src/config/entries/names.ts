import { reservedNames } from '../../model/reserved-names.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { ProblemCode } from '../problem.js';
import type { ScopeName } from '../scope.js';
import { PLUGIN_PREFIX } from '../scopes/plugin.js';

const NAME_LIMIT = 300; // longer than any name seen; tool names made from it are cut at 64 anyway

export interface NameFault {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
}

/** Why a name in a file cannot be used. Files may hold nearly any name; `add` is stricter, see `typedNameFault`. */
export function nameFault(name: string, scope: ScopeName): NameFault | undefined {
  if (name.trim() === '') return fault('invalid-entry', 'a server has an empty name', 'Give the server a name');
  if (name !== name.trim() || gateLine(name).findings.length > 0) {
    return fault('invalid-entry', 'its name has invisible characters, or spaces around it');
  }
  if (name.length > NAME_LIMIT) {
    const message = `its name is ${name.length} characters long; the limit is ${NAME_LIMIT}`;
    return fault('invalid-entry', message, 'Shorten the name');
  }
  if (reservedNames.includes(name)) return fault('reserved-name', 'this name is reserved');
  if (scope === 'plugin' || !name.startsWith(PLUGIN_PREFIX)) return undefined;
  return fault('reserved-name', `names that begin with "${PLUGIN_PREFIX}" belong to plugins`);
}

function fault(code: ProblemCode, message: string, hint = 'Rename the server'): NameFault {
  return { code, message, hint };
}

/** Why `add` refuses a name: it must be easy to type in a shell, in a rule and in a tool's name. */
export function typedNameFault(name: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/u.test(name)) {
    return `Invalid name ${name}. Names can only contain letters, numbers, hyphens, and underscores.`;
  }
  if (name.length > NAME_LIMIT)
    return `Invalid name: it is ${name.length} characters long; the limit is ${NAME_LIMIT}.`;
  return reservedNames.includes(name) ? `Cannot add MCP server "${name}": this name is reserved.` : undefined;
}
