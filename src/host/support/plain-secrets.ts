import { MASK, Secret } from '../../base/secret.js';
import { maskEntry } from '../../config/edit/mask.js';
import type { ServerConfig } from '../../transports/kinds.js';

/** The secrets among the arguments and in the URL of an expanded entry, which are no `Secret` there. */
export function plainSecrets(config: ServerConfig | undefined): readonly Secret[] {
  const { command, args, url } = (config ?? {}) as Readonly<Record<string, unknown>>;
  const parts = { ...(command !== undefined && { command, args }), ...(url !== undefined && { url }) };
  return hiddenTexts(parts, maskEntry(parts));
}

/** What masking has removed from the texts of a value. */
export function hiddenTexts(value: unknown, masked: unknown): Secret[] {
  if (typeof value === 'string') {
    if (typeof masked !== 'string' || !masked.includes(MASK)) return [];
    const [start = '', ...rest] = masked.split(MASK);
    // With several in one text only the outer ends are known: all secrets are between them.
    const hidden = value.slice(start.length, value.length - rest.at(-1)!.length);
    return hidden === '' || /^\$\{[^}]*\}$/u.test(hidden) ? [] : [new Secret(hidden)];
  }
  if (value === null || typeof value !== 'object') return [];
  const inner = (masked !== null && typeof masked === 'object' ? masked : {}) as Readonly<Record<string, unknown>>;
  return Object.entries(value).flatMap(([key, part]) =>
    hiddenTexts(part, Object.hasOwn(inner, key) ? inner[key] : undefined),
  );
}
