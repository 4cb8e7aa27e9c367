import type { Host } from '../../index.js';
import {
  configuredServers,
  type RunningCatalog,
  runningServer,
  type RunningServer,
} from '../../actions/running-server.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import { defersTools, toTokenCount, toTokens } from '../../model/text/tokens.js';

/** About how many tokens a server costs a model. */
export type ServerTokens = Pick<CostReport, 'loaded' | 'deferred' | 'instructions'>;

export type TokenTotal = Pick<ServerTokens, 'loaded' | 'deferred'>;

export interface TokenCountsOptions {
  readonly host: Host;
  /** More is known than before. Contract: must not throw. */
  readonly onCounted: () => void;
}

/**
 * What the tools of every server would cost a conversation that began now. Counted beside everything else, a few at a time: definitions are on disk, and
 * no conversation that is under way is touched by it.
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

  /** Whether definitions are only shown when they are looked for. */
  useSetting(setting: 'auto' | 'always' | 'never'): void {
    this.#setting = setting;
    this.#sum();
    this.#options.onCounted();
  }

  /** Lists may have changed: those that have are counted again. */
  look(): void {
    if (this.#isEnded) return;
    this.#collect();
    if (this.#queue.length > 0) this.#next ??= setImmediate(() => this.#count());
  }

  /** Counts for so long at most, what has changed by now included. */
  countFor(ms: number): void {
    this.#collect();
    this.#work(ms);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearImmediate(this.#next);
  }

  /** The servers whose list is another one than the one that was counted. */
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
  /** Another object for another list. */
  readonly list: RunningCatalog['toolColumns'];
  readonly instructions: number;
  /** How many tools of it are counted. */
  at: number;
  always: number;
  others: number;
  isWhole: boolean;
}

/** One that is lost is not counted: it comes with a list of its own. */
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

const SLICE_MS = 8; // of the event loop: keys must not wait
const SOME = 50; // definitions at a time
