import { HostError } from '../../../base/errors.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import { editDistance } from '../../../base/nearest.js';
import { hookEvents } from '../../../model/hooks/hook-settings.js';
import { gateLine } from '../../../model/text/text-gate.js';

/**
 * Throws `unsupported` for fields of `--settings` that would restrict, or are meant to, and cannot be obeyed. Others that
 * are not known have no effect.
 */
export function refuseSettingsLimits(settings: JsonObject): void {
  for (const [field, value] of Object.entries(settings)) {
    if (SETTINGS.includes(field)) continue;
    const isLimit = BARRED.has(field) && !(isObject(value) && value['enabled'] === false);
    if (isLimit || isLike(field, SETTINGS)) throw refusal(field);
  }
  const { permissions, hooks } = settings;
  for (const [field, value] of Object.entries(isObject(permissions) ? permissions : {})) {
    const isOdd = field === NEVER && value !== 'disable';
    if (isOdd || (!PERMISSIONS.includes(field) && isLike(field, PERMISSIONS))) throw refusal(`permissions.${field}`);
  }
  for (const event of Object.keys(isObject(hooks) ? hooks : {})) {
    const isMisspelt = hookEvents.every((word) => word !== event) && isNear(event, hookEvents);
    if (isMisspelt) throw refusal(`hooks.${event}`);
  }
}

/** Whether the author of this unknown field believes that it stops something. */
function isLike(field: string, known: readonly string[]): boolean {
  return STOPPING.test(field) || isNear(field, known);
}

function isNear(field: string, known: readonly string[]): boolean {
  const small = field.toLowerCase();
  return known.some((word) => {
    const limit = word.length < 6 ? 1 : 2;
    return editDistance(small, word.toLowerCase(), limit) <= limit;
  });
}

function refusal(field: string): HostError {
  const named = gateLine(field, { limit: 100 }).text;
  return new HostError('unsupported', `--settings: ${named} cannot be obeyed, and may be there to restrict this run`, {
    hint: 'Correct its name or its value, or leave it out',
  });
}

const NEVER = 'disableBypassPermissionsMode';
const SETTINGS: readonly string[] = [
  'permissions',
  'hooks',
  'allowedMcpServers',
  'deniedMcpServers',
  'disabledMcpjsonServers',
  'requireSandbox',
];
const PERMISSIONS: readonly string[] = ['allow', 'deny', 'ask', 'mode', 'defaultMode', 'additionalDirectories', NEVER];
/** `settings` is the place of permissions in our own files, `__proto__` never one. */
const BARRED: ReadonlySet<string> = new Set(['sandbox', 'settings', '__proto__']);
const STOPPING = /^(?:den[yi]|ask|block|forbid|disallow|confirm|restrict|require|servers$)/iu;
