import { isObject } from '../../base/json.js';
import type { ServerLifecycleOptions } from '../../connection/server-lifecycle-options.js';

/** The client capabilities that a host declares to a server, and their request handlers. */
export type ClientFeatures = ReturnType<NonNullable<ServerLifecycleOptions['serving']>>;

/** Merges features. Of a capability that two declare (`extensions`) both settings count, of two handlers the later. */
export function mergeClientFeatures(parts: readonly (ClientFeatures | undefined)[]): ClientFeatures {
  const capabilities: Record<string, unknown> = {};
  const handlers: Record<string, NonNullable<ClientFeatures['handlers']>[string]> = {};
  for (const part of parts) {
    for (const [name, settings] of Object.entries(part?.capabilities ?? {})) {
      const before = capabilities[name];
      capabilities[name] = isObject(before) && isObject(settings) ? { ...before, ...settings } : settings;
    }
    Object.assign(handlers, part?.handlers);
  }
  return { capabilities, handlers };
}
