import { isObject, type JsonObject } from '../base/json.js';
import { VERSION } from '../base/version.js';
import { SKILLS_EXTENSION } from '../connection/catalog/skill-definition.js';
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
    capabilities: server ? ownCapabilities(offering, server) : { ...ALL, ...extraCapabilities(offering.servers()) },
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
function ownCapabilities(offering: Offering, server: Server): JsonObject {
  const { capabilities } = server.catalog;
  if (!capabilities) return ALL;
  const { prompts, resources, completions, logging } = capabilities;
  return {
    ...(hasTools(offering, capabilities) && { tools: { listChanged: true } }),
    ...(isObject(prompts) && { prompts: { listChanged: true } }),
    ...(isObject(resources) && {
      resources: { listChanged: true, ...(resources['subscribe'] === true && { subscribe: true }) },
    }),
    ...(isObject(completions) && { completions: {} }),
    ...(isObject(logging) && { logging: {} }),
    ...extraCapabilities([server]),
  };
}

/** A server that wants a sign-in has a tool for that, whatever it declared before. */
function hasTools(offering: Offering, { tools }: JsonObject): boolean {
  return isObject(tools) || offering.tools().length > 0;
}

/**
 * Whether a method is of a capability that clients are told of. A server that nobody knows yet may have anything, and
 * where there are several only skills are not declared in any case.
 */
export function servesMethod(offering: Offering, method: string): boolean {
  const isOfSkills = method === 'resources/directory/read' || method.startsWith('skills/');
  if (isOfSkills) return offering.servers().some(mayHaveSkills);
  if (offering.only === undefined) return true;
  const server = offering.server(offering.only);
  const capabilities = server?.catalog.capabilities;
  if (!server || !capabilities) return true;
  const { resources } = capabilities;
  const [kind] = method.split('/', 1);
  switch (kind) {
    case 'tools':
      return hasTools(offering, capabilities);
    case 'prompts':
      return isObject(capabilities['prompts']);
    case 'resources':
      if (method === 'resources/read') return isObject(resources) || mayHaveSkills(server);
      if (method.endsWith('subscribe')) return isObject(resources) && resources['subscribe'] === true;
      return isObject(resources);
    case 'completion':
      return isObject(capabilities['completions']);
    case 'logging':
      return isObject(capabilities['logging']);
    case undefined:
    default:
      return true;
  }
}

/** A list of skills counts, too: SDKs leave extensions out at older revisions. */
function mayHaveSkills({ catalog: { capabilities, skills } }: Server): boolean {
  return !capabilities || skills.length > 0 || SKILLS_EXTENSION in objectOf(capabilities['extensions']);
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
