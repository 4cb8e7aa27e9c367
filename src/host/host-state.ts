import type { JsonObject } from '../base/json.js';
import { maskEntry } from '../config/edit/mask.js';
import type { Problem } from '../config/problem.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { PromptSummary, ResourceSummary } from '../connection/catalog/catalog-items.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import type { Tool } from '../model/tool.js';
import type { ServerTool } from './servers/server-tool.js';
import type { RawEntry } from '../transports/kind.js';
import type { ServerState } from './servers/server-state.js';

/** Everything that a host knows, as JSON. */
export interface HostState {
  /** Every definition, strongest first, as in `host.servers()`. */
  readonly servers: readonly ServerDetail[];
  /** The tools of all servers, with the names that the model knows. */
  readonly tools: readonly (Pick<Tool, 'name' | 'tool' | 'title' | 'hints'> & { readonly server: string })[];
  /** The known prompts of all servers. */
  readonly prompts: readonly (PromptSummary & { readonly server: string })[];
  /** The known resources of all servers. */
  readonly resources: readonly (ResourceSummary & { readonly server: string })[];
  /** The known resource templates of all servers; `uri` is the template. */
  readonly templates: readonly (ResourceSummary & { readonly server: string })[];
  /** The server and tool behind each name that the model knows. */
  readonly names: Readonly<Record<string, { readonly server: string; readonly tool: string }>>;
  /** The same as `host.problems`. */
  readonly problems: readonly Problem[];
}

/** A server's state with its entry and what it says of itself. */
export interface ServerDetail extends ServerState {
  /** The entry as written, masked. */
  readonly config: RawEntry | null;
  /** What the server declared in the handshake; null where it is not known. */
  readonly capabilities: JsonObject | null;
  /** What the server tells models about itself; null where it says nothing, or nothing is known. */
  readonly instructions: string | null;
}

export interface HostParticulars {
  readonly servers: readonly ServerState[];
  readonly definitions: readonly ConfiguredServer[];
  readonly connections: readonly ServerLifecycle[];
  readonly tools: readonly ServerTool[];
  readonly problems: readonly Problem[];
}

export function toHostState({ servers, definitions, connections, tools, problems }: HostParticulars): HostState {
  const all = <Summary extends object>(
    list: (lifecycle: ServerLifecycle) => readonly Summary[],
  ): (Summary & { readonly server: string })[] =>
    connections.flatMap((lifecycle) => list(lifecycle).map((one) => ({ ...one, server: lifecycle.name })));
  // A map, because there may be ten thousand. Of two definitions in one place the first counts.
  const defined = new Map(definitions.toReversed().map((definition) => [placeOf(definition), definition]));
  const connected = new Map(connections.map((lifecycle) => [lifecycle.name, lifecycle]));
  return {
    servers: servers.map((server) => toDetail(server, defined.get(placeOf(server)), connected.get(server.name))),
    tools: tools.map(({ name, server, tool, title, hints }) => ({ name, server, tool, title, hints })),
    prompts: all(({ catalog }) => catalog.prompts),
    resources: all(({ catalog }) => catalog.resources),
    templates: all(({ catalog }) => catalog.templates),
    names: Object.fromEntries(tools.map(({ name, server, tool }) => [name, { server, tool }])),
    problems,
  };
}

/** Identifies one definition of a server among those of other files. */
function placeOf({ name, scope, origin }: Pick<ServerState, 'name' | 'scope' | 'origin'>): string {
  return JSON.stringify([name, scope, origin]);
}

function toDetail(
  server: ServerState,
  definition: ConfiguredServer | undefined,
  lifecycle: ServerLifecycle | undefined,
): ServerDetail {
  const isRunning = server.suppressedBy === undefined;
  return {
    ...server,
    config: definition?.written ? maskEntry(definition.written) : null,
    capabilities: (isRunning && lifecycle?.catalog.capabilities) || null,
    instructions: (isRunning && lifecycle?.catalog.instructions) || null,
  };
}
