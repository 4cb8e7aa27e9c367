import { shellWord } from '../../base/shell-word.js';
import { showPath } from '../show.js';
import { gateLine } from './text-gate.js';

/** The command that starts the servers waiting for trust in a folder, which is the one that it is run in. */
export function trustCommand(folder: string): string {
  // Without its hidden characters, which are not shown, the command would name another folder.
  return gateLine(folder).text === folder ? `plugboard trust ${shellWord(folder)}` : 'plugboard trust';
}

/** Why a server waits; follows the server's name. */
export function untrustedText({ folder, reason }: { readonly folder: string; readonly reason: string }): string {
  return `needs ${showPath(folder)}, which is not trusted: ${reason}`;
}

/** Why a server waits for trust in the working directory. */
export const UNTRUSTED = 'it needs this folder, which is not trusted';
