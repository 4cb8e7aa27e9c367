import { shellWord } from '../../base/shell-word.js';

/** What makes the servers run that wait for a folder to be trusted. */
export function trustCommand(folder: string): string {
  return `plugboard trust ${shellWord(folder)}`;
}

/** Why a server waits, after its name. */
export function untrustedText({ folder, reason }: { readonly folder: string; readonly reason: string }): string {
  return `needs ${folder}, which is not trusted: ${reason}`;
}

/** Why a server waits for trust in the working directory. */
export const UNTRUSTED = 'it needs this folder, which is not trusted';
