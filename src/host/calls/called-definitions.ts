import type { HostError } from '../../base/errors.js';
import { writtenHash } from '../../config/entries/config-hash.js';
import type { ServerPromptDefinition } from '../../connection/catalog/prompt-definition.js';
import { definitionHash } from '../../guard/definition-hash.js';
import type { Clock } from '../../model/clock.js';
import type { Tool, ToolDefinition } from '../../model/tool.js';
import { readStatedHints } from '../../model/stated-hints.js';
import type { PermissionStepOptions } from '../steps/permission.js';
import type { RawEntry } from '../../transports/kind.js';
import { ASK_MS } from '../servers/server-access.js';
import type { ToolCall } from './pipeline.js';
import type { Configuration } from '../servers/configuration.js';
import type { Servers } from '../servers/servers.js';
import { waitForFreshCatalog } from './wait-for-catalog.js';

type Placed = Pick<ToolCall, 'tool' | 'context'>;

export interface CalledDefinitionsOptions {
  readonly servers: Servers;
  readonly configuration: Configuration;
  readonly clock: Clock;
}

/**
 * The definition of a tool that is about to be called: the cached one, or the one that its server lists in this run.
 */
export class CalledDefinitions {
  readonly #options: CalledDefinitionsOptions;
  /** By input schema: many calls at once ask for the hash of one definition. */
  readonly #hashes = new WeakMap<object, HashedDefinition>();
  /** By the entry as written; the project folder of a host stays the same. */
  readonly #entryHashes = new WeakMap<RawEntry, string>();

  constructor(options: CalledDefinitionsOptions) {
    this.#options = options;
  }

  /** Waits until the server has listed its tools or prompts in this run. Returns the error if not. Never rejects. */
  readonly waitForFreshList = async ({ tool, context }: Placed, server: string): Promise<HostError | undefined> => {
    const { servers, clock } = this.#options;
    const found = servers.get(server);
    const isPrompt = tool.act === 'prompts';
    const { timeoutMs = isPrompt ? ASK_MS : found?.callTimeoutMs, signal } = context;
    if (!found || timeoutMs === undefined) return undefined;
    return waitForFreshCatalog(found, { kind: isPrompt ? 'prompts' : 'tools', clock, timeoutMs, signal });
  };

  readonly promptOf = async (server: string, prompt: string): Promise<ServerPromptDefinition | undefined> =>
    this.#options.servers.get(server)?.catalog.prompt(prompt);

  readonly serverHashOf = ({ server }: Tool): string | undefined =>
    server === undefined ? undefined : this.#options.servers.get(server)?.hash;

  /** What the guard compares: hashes of the tool's server, entry and definition, and its stated hints. */
  readonly guardDetailsOf = (call: Placed): ReturnType<PermissionStepOptions['guardDetailsOf']> => {
    const { server, act } = call.tool;
    if (server === undefined) return {};
    return {
      serverHash: this.serverHashOf(call.tool),
      entryHash: () => this.#entryHashOf(server),
      ...(act === undefined && {
        definitionHash: (as) => this.#hashOf(call, as),
        statedHints: () => readStatedHints(call.tool),
      }),
    };
  };

  /** Key of a user's permissions for a server: an edit of the entry changes it, a new value of a variable does not. */
  #entryHashOf(server: string): string | undefined {
    const { servers, configuration } = this.#options;
    const { written } = servers.entry(server) ?? {};
    if (!written) return undefined;
    const known = this.#entryHashes.get(written);
    if (known !== undefined) return known;
    // An entry that uses the project folder runs a different program in each project.
    const isPlaced = /\$\{(?:PLUGBOARD|CLAUDE)_PROJECT_DIR\b/u.test(JSON.stringify(written));
    const hash = writtenHash(isPlaced ? { ...written, '': configuration.loaded.context.projectRoot } : written);
    this.#entryHashes.set(written, hash);
    return hash;
  }

  async #hashOf(call: Placed, as: 'cached' | 'listed'): Promise<string | undefined> {
    const { tool } = call;
    // The error is ignored: a server that does not list its tools is not called either.
    if (as === 'listed' && tool.server !== undefined) await this.waitForFreshList(call, tool.server);
    const found = await tool.definition();
    if (!found) return undefined;
    const definition = { ...found, name: tool.tool };
    const known = this.#hashes.get(definition.inputSchema);
    if (known && hasSameFields(known.definition, definition)) return known.hash;
    const hash = definitionHash(definition);
    this.#hashes.set(definition.inputSchema, { definition, hash });
    return hash;
  }
}

interface HashedDefinition {
  readonly definition: ToolDefinition;
  readonly hash: string;
}

/** Whether the fields are the same values, not only equal ones. */
function hasSameFields(one: ToolDefinition, other: ToolDefinition): boolean {
  const fields = Object.keys(one) as (keyof ToolDefinition)[];
  return fields.length === Object.keys(other).length && fields.every((field) => one[field] === other[field]);
}
