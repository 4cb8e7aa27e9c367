import type { HostError } from '../../base/errors.js';
import type { ServerPromptDefinition } from '../../connection/catalog/prompt-definition.js';
import { definitionHash } from '../../guard/definition-hash.js';
import type { Clock } from '../../model/clock.js';
import type { Tool } from '../../model/tool.js';
import { readStatedHints } from '../../model/stated-hints.js';
import type { PermissionStepOptions } from '../steps/permission.js';
import { entryHashOf } from './foresight.js';
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
    const { servers, configuration } = this.#options;
    const { server, act } = call.tool;
    if (server === undefined) return {};
    return {
      serverHash: this.serverHashOf(call.tool),
      entryHash: () => entryHashOf(servers, configuration, server),
      ...(act === undefined && {
        definitionHash: (as) => this.#hashOf(call, as),
        statedHints: () => readStatedHints(call.tool),
      }),
    };
  };

  async #hashOf(call: Placed, as: 'cached' | 'listed'): Promise<string | undefined> {
    const { tool } = call;
    // The error is ignored: a server that does not list its tools is not called either.
    if (as === 'listed' && tool.server !== undefined) await this.waitForFreshList(call, tool.server);
    const definition = await tool.definition();
    return definition && definitionHash({ ...definition, name: tool.tool });
  }
}
