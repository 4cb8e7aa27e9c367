import { isObject, type JsonObject } from '../base/json.js';
import { VERSION } from '../base/version.js';
import type { Server } from '../host/servers/server.js';
import type { EndpointDescription } from '../serving/endpoint.js';
import { cleanText } from './clean.js';
import type { Offering } from './offering.js';

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
    capabilities: server ? ownCapabilities(server) : ALL,
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

/** What one server declares, as far as it is passed on. Changes of its lists are known in any case. */
function ownCapabilities({ catalog: { capabilities } }: Server): JsonObject {
  if (!capabilities) return ALL;
  const { tools, prompts, resources, completions, logging, extensions } = capabilities;
  return {
    ...(isObject(tools) && { tools: { listChanged: true } }),
    ...(isObject(prompts) && { prompts: { listChanged: true } }),
    ...(isObject(resources) && {
      resources: { listChanged: true, ...(resources['subscribe'] === true && { subscribe: true }) },
    }),
    ...(isObject(completions) && { completions }),
    ...(isObject(logging) && { logging }),
    ...toExtensions(extensions),
  };
}

/** Without tasks: clients of the gateway get the result when there is one. */
function toExtensions(extensions: unknown): JsonObject {
  if (!isObject(extensions)) return {};
  const kept = Object.entries(extensions).filter(([name]) => name !== TASKS);
  return kept.length === 0 ? {} : { extensions: Object.fromEntries(kept) };
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

const TASKS = 'io.modelcontextprotocol/tasks';
const TTL_MS = 60_000;
const NAME_LIMIT = 100;
const ONE_LIMIT = 8_000; // characters: instructions are in every conversation of every client
const ALL_LIMIT = 64_000;
