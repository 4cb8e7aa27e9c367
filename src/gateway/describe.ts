import { isObject, type JsonObject } from '../base/json.js';
import { VERSION } from '../base/version.js';
import type { Server } from '../host/servers/server.js';
import type { EndpointDescription } from '../serving/endpoint.js';
import { TASKS_EXTENSION } from '../wire/eras/envelope.js';
import { cleanText, withoutHidden } from './clean.js';
import type { Offering } from './offering.js';
import { offersTasks } from './tasks/client-tasks.js';

/** What a client is told of an address when it connects. */
export function describeOffering(offering: Offering): EndpointDescription {
  const { only } = offering;
  const server = only === undefined ? undefined : offering.server(only);
  return {
    server: {
      name: 'plugboard',
      title: server === undefined ? 'Plugboard' : `Plugboard: ${only}`,
      version: VERSION,
    },
    capabilities: server ? ownCapabilities(server) : { ...ALL, ...extraCapabilities(offering.servers()) },
    instructions: server ? instructionsOf(offering, server) : mergedInstructions(offering),
    ttlMs: TTL_MS,
    cacheScope: 'private',
  };
}

/** Servers come and go by an edit, so all is declared that any of them may have. */
const ALL: JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** Whether the address has this list: that of one server has what the server declares, any other has all. */
export function hasList(offering: Offering, list: 'tools' | 'prompts' | 'resources' | 'templates' | 'skills'): boolean {
  const { only } = offering;
  const capabilities = only === undefined ? undefined : offering.server(only)?.catalog.capabilities;
  if (!capabilities || list === 'skills') return true;
  // The sign-in to a server is a tool that the server does not list.
  if (list === 'tools' && offering.tools().length > 0) return true;
  return isObject(capabilities[list === 'templates' ? 'resources' : list]);
}

/** What one server declares, as far as it is passed on. Changes of its lists are known in any case. */
function ownCapabilities(server: Server): JsonObject {
  const { capabilities } = server.catalog;
  if (!capabilities) return ALL;
  const { tools, prompts, resources, completions, logging } = capabilities;
  return {
    ...(isObject(tools) && { tools: { listChanged: true } }),
    ...(isObject(prompts) && { prompts: { listChanged: true } }),
    ...(isObject(resources) && {
      resources: { listChanged: true, ...(resources['subscribe'] === true && { subscribe: true }) },
    }),
    ...(isObject(completions) && { completions: {} }),
    ...(isObject(logging) && { logging: {} }),
    ...extraCapabilities([server]),
  };
}

/**
 * The extensions of these servers, and the tasks of both eras: a client of 2026-07-28 can follow those of any server, one
 * of 2025-11-25 those of its own revision.
 */
function extraCapabilities(servers: readonly Server[]): JsonObject {
  const extensions = new Map<string, JsonObject>();
  for (const { catalog } of servers) {
    const own = catalog.capabilities?.['extensions'];
    if (!isObject(own)) continue;
    for (const [name, settings] of Object.entries(own)) {
      if (!isObject(settings) || extensions.size >= EXTENSION_COUNT || name.length > NAME_LIMIT) continue;
      // Such a name is a server's text for models, or for nobody.
      if (!NAME.test(name)) continue;
      const told = JSON.stringify(settings).length <= SETTINGS_LIMIT ? withoutHidden(settings) : {};
      extensions.set(name, { ...told, ...extensions.get(name) });
    }
  }
  const makers = servers.filter(offersTasks);
  if (makers.length > 0) extensions.set(TASKS_EXTENSION, {});
  const isCancellable = makers.some(({ catalog }) => isObject(objectOf(catalog.capabilities?.['tasks'])['cancel']));
  return {
    ...(extensions.size > 0 && { extensions: Object.fromEntries(extensions) }),
    ...(makers.length > 0 && {
      tasks: { ...(isCancellable && { cancel: {} }), requests: { tools: { call: {} } } },
    }),
  };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function instructionsOf({ offers }: Offering, { name, catalog }: Server): string | undefined {
  const { instructions } = catalog;
  return instructions === undefined || offers.isWithheld(name) ? undefined : cleanText(instructions);
}

/** The instructions of each server under its name. */
function mergedInstructions(offering: Offering): string | undefined {
  const parts: string[] = [];
  let room = ALL_LIMIT;
  for (const server of offering.servers()) {
    const text = instructionsOf(offering, server)?.trim();
    if (text === undefined || text === '' || room <= 0) continue;
    const part = `## ${cleanText(server.name, NAME_LIMIT)}\n\n${cleanText(text, Math.min(ONE_LIMIT, room))}`;
    parts.push(part);
    room -= part.length;
  }
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

const TTL_MS = 60_000;
const NAME_LIMIT = 100;
const NAME = /^[\x21-\x7e]+$/;
const EXTENSION_COUNT = 50;
const SETTINGS_LIMIT = 2_000; // characters of one extension
const ONE_LIMIT = 8_000; // characters: instructions are in every conversation of every client
const ALL_LIMIT = 64_000;
