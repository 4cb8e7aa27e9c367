import type { PermissionMode } from '../permissions/settings.js';

/** A permission mode in the word that hooks of other hosts know. */
export function toPublishedMode(mode: string): string {
  return WORDS[mode as PermissionMode] ?? mode;
}

const WORDS: Readonly<Record<PermissionMode, string>> = {
  default: 'default',
  'auto-read': 'default', // there is no word for it, and `default` promises no more
  plan: 'plan',
  'dont-ask': 'dontAsk',
  bypass: 'bypassPermissions',
};
