import { join } from 'node:path';
import { nameSuffix } from '../../model/view/name-suffix.js';
import { toNamePart } from '../../model/view/names.js';

/** Where everything goes that a server says on stderr; what came before is beside it, in the same path with `.1`. */
export function logFile(state: string, name: string): string {
  return join(state, 'logs', logName(name));
}

/** A file of its own for each name, also where the file system takes `A` and `a` for the same. */
function logName(name: string): string {
  const part = toNamePart(name).slice(0, 60);
  return part === name && part === part.toLowerCase() ? `${part}.log` : `${part}-${nameSuffix(name, '')}.log`;
}
