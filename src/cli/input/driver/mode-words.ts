import type { PermissionMode } from '../../../model/permissions/settings.js';

/** The permission modes of published agent SDKs that have another name here, or none. */
export const driverModes = ['acceptEdits', 'bypassPermissions', 'dontAsk', 'auto'] as const;

/** The words of agent SDKs for permission modes: those on the wire. */
export type DriverMode = 'default' | 'plan' | (typeof driverModes)[number];

/** A mode in the words of an agent SDK, as one of ours. Never a wider one. */
export type ModeReading =
  | { readonly kind: 'mode'; readonly mode: PermissionMode; readonly note?: string }
  /** Only a program that was allowed to by its own flag may choose it. */
  | { readonly kind: 'bypass' }
  | { readonly kind: 'unknown' };

export function readDriverMode(word: unknown): ModeReading {
  switch (word) {
    case 'default':
    case 'plan':
      return { kind: 'mode', mode: word };
    case 'dontAsk':
    case 'dont-ask':
      return { kind: 'mode', mode: 'dont-ask' };
    case 'acceptEdits':
    case 'auto':
      return { kind: 'mode', mode: 'default', note: `the mode ${word} is not there: default is used` };
    case 'bypassPermissions':
    case 'bypass':
      return { kind: 'bypass' };
    case 'auto-read':
      return { kind: 'mode', mode: 'auto-read' };
    default:
      return { kind: 'unknown' };
  }
}

/** The word of agent SDKs for a mode; they have none for `auto-read`, which asks about everything else. */
export function toDriverMode(mode: PermissionMode): DriverMode {
  return DRIVER_WORDS[mode];
}

const DRIVER_WORDS: Readonly<Record<PermissionMode, DriverMode>> = {
  default: 'default',
  'auto-read': 'default',
  plan: 'plan',
  'dont-ask': 'dontAsk',
  bypass: 'bypassPermissions',
};

/** The flag without which no program gets the mode that asks nobody. */
export const BYPASS_FLAG = 'allow-dangerously-skip-permissions';

/** The widest mode that still asks about calls. */
export const BELOW_BYPASS: PermissionMode = 'auto-read';
