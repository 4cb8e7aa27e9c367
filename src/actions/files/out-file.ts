import { resolve } from 'node:path';
import type { ConfigContext } from '../../config/context.js';

/** The path of a file that the user named to write to. Rejects where a link of the project leads it elsewhere. */
export async function outFile(word: string, context: ConfigContext): Promise<string> {
  const { refuseLinkOut } = await import('../../config/edit/refuse-outside.js');
  return refuseLinkOut(resolve(context.cwd, word), context);
}
