import { shellWord } from '../../base/shell-word.js';

/** The command that starts the servers waiting for trust in a folder. */
export function trustCommand(folder: string): string {
  return `plugboard trust ${shellWord(folder)}`;
}

/** Why a server waits; follows the server's name. */
export function untrustedText({ folder, reason }: { readonly folder: string; readonly reason: string }): string {
  return `needs ${folder}, which is not trusted: ${reason}`;
}

/** Why a server waits for trust in the working directory. */
export const UNTRUSTED = 'it needs this folder, which is not trusted';
