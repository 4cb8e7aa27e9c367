import type { Host } from '../../index.js';
import {
  configuredServers,
  type RunningCatalog,
  runningServer,
  type RunningServer,
} from '../../actions/running-server.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import { defersTools, toTokenCount, toTokens } from '../../model/text/tokens.js';

/** About how many tokens of a model's context a server takes. */
export type ServerTokens = Pick<CostReport, 'loaded' | 'deferred' | 'instructions'>;

export type TokenTotal = Pick<ServerTokens, 'loaded' | 'deferred'>;

export interface TokenCountsOptions {
  readonly host: Host;
  /** Called when more is counted. Contract: must not throw. */
  readonly onCounted: () => void;
}

/**
 * Tokens that each server's tools would take in a conversation that begins now. Counted in the background, a few at a
 * time, from the definitions on disk; no running conversation is touched.
 */
export class TokenCounts implements Disposable {
  readonly #options: TokenCountsOptions;
  readonly #counted = new Map<string, Counted>();
  #queue: { readonly server: RunningServer; readonly isAlways: boolean; readonly counted: Counted }[] = [];
  #total: TokenTotal = { loaded: 0, deferred: 0 };
  #setting: 'auto' | 'always' | 'never' = 'auto';
  #isDeferred = false;
  #next: NodeJS.Immediate | undefined;
  #isEnded = false;

  constructor(options: TokenCountsOptions) {
    this.#options = options;
  }

  get total(): TokenTotal {
    return this.#total;
  }

  of(server: string): ServerTokens | undefined {
    const counted = this.#counted.get(server);
    if (!counted?.isWhole) return undefined;
    return { ...this.#shareOf(counted), instructions: counted.instructions };
  }

  /** Sets whether definitions are deferred until the model searches for them. */
  useSetting(setting: 'auto' | 'always' | 'never'): void {
    this.#setting = setting;
    this.#sum();
    this.#options.onCounted();
  }

  /** Starts counting the lists that have changed. */
  look(): void {
    if (this.#isEnded) return;
    this.#collect();
    if (this.#queue.length > 0) this.#next ??= setImmediate(() => this.#count());
  }

  /** Counts for `ms` at most, including lists that have changed by now. */
  countFor(ms: number): void {
    this.#collect();
    this.#work(ms);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearImmediate(this.#next);
  }

  /** Queues the servers whose tool list is not the one that was counted. */
  #collect(): void {
    const { host } = this.#options;
    this.#queue = [];
    const known = new Set<string>();
    for (const { name, standing, config } of configuredServers(host)) {
      const server = standing.kind === 'ready' ? runningServer(host, name) : undefined;
      if (!server || server.catalog.source === 'none') continue;
      known.add(name);
      const counted = this.#countedOf(server);
      if (!counted.isWhole) this.#queue.push({ server, isAlways: config?.alwaysLoad === true, counted });
    }
    for (const name of this.#counted.keys()) if (!known.has(name)) this.#counted.delete(name);
    this.#sum();
  }

  #countedOf({ name, catalog }: RunningServer): Counted {
    const { toolColumns: list, instructions = '' } = catalog;
    const counted = this.#counted.get(name);
    if (counted?.list === list) return counted;
    const fresh = {
      list,
      instructions: toTokenCount(instructions.length),
      at: 0,
      always: 0,
      others: 0,
      isWhole: list.names.length === 0,
    };
    this.#counted.set(name, fresh);
    return fresh;
  }

  #count(): void {
    this.#next = undefined;
    this.#work(SLICE_MS);
    this.#options.onCounted();
    if (this.#queue.length > 0 && !this.#isEnded) this.#next = setImmediate(() => this.#count());
  }

  #work(ms: number): void {
    const until = performance.now() + ms;
    for (let next = this.#queue.at(-1); next && performance.now() < until; next = this.#queue.at(-1)) {
      countSome(next);
      if (next.counted.isWhole) this.#queue.pop();
    }
    this.#sum();
  }

  #sum(): void {
    const all = [...this.#counted.values()];
    const tokens = all.reduce((sum, { always, others }) => sum + always + others, 0);
    this.#isDeferred = defersTools(this.#setting, tokens);
    const shares = all.map((counted) => this.#shareOf(counted));
    this.#total = {
      loaded: shares.reduce((sum, { loaded }) => sum + loaded, 0),
      deferred: shares.reduce((sum, { deferred }) => sum + deferred, 0),
    };
  }

  #shareOf({ always, others }: Counted): TokenTotal {
    return this.#isDeferred ? { loaded: always, deferred: others } : { loaded: always + others, deferred: 0 };
  }
}

interface Counted {
  /** A changed list is another object. */
  readonly list: RunningCatalog['toolColumns'];
  readonly instructions: number;
  /** Tools of the list counted so far. */
  at: number;
  always: number;
  others: number;
  isWhole: boolean;
}

/** A definition that is missing is not counted: it comes back with a new list. */
function countSome({
  server: { name, catalog },
  isAlways,
  counted,
}: {
  readonly server: RunningServer;
  readonly isAlways: boolean;
  readonly counted: Counted;
}): void {
  const names = counted.list.names.slice(counted.at, counted.at + SOME);
  for (const { name: tool, description, inputSchema, marks } of catalog.toolDefinitions(names)) {
    const tokens = toTokens({ name: `mcp__${name}__${tool}`, description, inputSchema });
    if (isAlways || marks.alwaysLoad) counted.always += tokens;
    else counted.others += tokens;
  }
  counted.at += names.length;
  counted.isWhole = counted.at >= counted.list.names.length;
}

const SLICE_MS = 8; // of the event loop at a time: keys must not wait
const SOME = 50; // definitions at a time
