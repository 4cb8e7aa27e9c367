import { isObject, type JsonObject } from '../base/json.js';
import type { Caller } from '../model/caller.js';

/**
 * What a server is told that a client behind this program can do: what the client declared, as far as it can be passed
 * on, in the words of the newest revision. Bounded, because a client may declare anything.
 */
export function relayedCapabilities({ roots, sampling, elicitation, extensions }: Caller['capabilities']): JsonObject {
  return {
    ...(isObject(elicitation) && { elicitation: toElicitation(elicitation) }),
    ...(isObject(extensions) && isSmall(extensions) && { extensions }),
    // Changes of the roots are not passed on: a server asks again.
    ...(isObject(roots) && { roots: {} }),
    ...(isObject(sampling) && { sampling: only(sampling, ['context', 'tools']) }),
  };
}

/** Without a mode, forms are meant: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation */
function toElicitation(declared: JsonObject): JsonObject {
  const modes = only(declared, ['form', 'url']);
  return Object.keys(modes).length === 0 ? { form: {} } : modes;
}

/** These fields with their settings; without settings that are far too long. */
function only(declared: JsonObject, names: readonly string[]): JsonObject {
  const entries = names.flatMap((name): [string, unknown][] => {
    const settings = declared[name];
    return isObject(settings) ? [[name, isSmall(settings) ? settings : {}]] : [];
  });
  return Object.fromEntries(entries);
}

function isSmall(settings: JsonObject): boolean {
  return JSON.stringify(settings).length <= SETTINGS_LIMIT;
}

const SETTINGS_LIMIT = 4_000; // characters; a client names a few extensions, each with a few settings
