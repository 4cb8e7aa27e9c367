import { join } from 'node:path';
import { nameSuffix } from '../../model/view/name-suffix.js';
import { toNamePart } from '../../model/view/names.js';

/** Log file of a server's stderr; the previous, rotated one is at the same path with `.1`. */
export function logFile(state: string, name: string): string {
  return join(state, 'logs', logName(name));
}

/** A separate file for each name, also on file systems that ignore case. */
function logName(name: string): string {
  const part = toNamePart(name).slice(0, 60);
  return part === name && part === part.toLowerCase() ? `${part}.log` : `${part}-${nameSuffix(name, '')}.log`;
}
