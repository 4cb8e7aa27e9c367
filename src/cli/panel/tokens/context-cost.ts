import type { Host } from '../../../index.js';
import { contextCost, runningServer } from '../../../actions/running-server.js';
import type { CostReport } from '../../../model/view/tool-cost.js';

/** About how many tokens of a model's context a server takes. */
export type ServerTokens = Pick<CostReport, 'loaded' | 'deferred' | 'instructions'> & {
  /** By the name that the model uses. */
  readonly tools?: ReadonlyMap<string, number>;
};

export interface ContextCostOptions {
  readonly host: Host;
  /** What `/cost` shows: the cost for the conversation, or for one that began now. May be costly. */
  readonly cost?: (() => CostReport) | undefined;
  /** Called when it is counted anew. Contract: must not throw. */
  readonly onCounted: () => void;
}

/** What the tools and instructions of servers cost a model, counted again when they have changed. */
export class ContextCost implements Disposable {
  readonly #options: ContextCostOptions;
  readonly #servers = new Map<string, ServerTokens>();
  #report: CostReport | undefined;
  /** What the last count was made of. */
  #seen: readonly unknown[] = [];
  #next: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #isEnded = false;

  constructor(options: ContextCostOptions) {
    this.#options = options;
  }

  /** Undefined until counted. */
  get report(): CostReport | undefined {
    return this.#report;
  }

  /** Undefined until counted, and for a server that has not listed its tools. */
  of(server: string): ServerTokens | undefined {
    const isListed = (runningServer(this.#options.host, server)?.catalog.source ?? 'none') !== 'none';
    return isListed ? this.#servers.get(server) : undefined;
  }

  /** Counts soon, if something has changed. */
  look(): void {
    if (this.#isEnded || this.#next || this.#isSame()) return;
    this.#next = setTimeout(() => this.#countLater(), Math.max(0, this.#notBefore - performance.now()));
  }

  countNow(): void {
    const { host, cost = () => contextCost(host) } = this.#options;
    this.#seen = this.#parts();
    this.#report = cost();
    this.#servers.clear();
    for (const { name, tools, ...tokens } of this.#report.servers) {
      this.#servers.set(name, { ...tokens, tools: new Map(tools.map((tool) => [tool.name, tool.tokens])) });
    }
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearTimeout(this.#next);
  }

  #countLater(): void {
    this.#next = undefined;
    const start = performance.now();
    this.countNow();
    const end = performance.now();
    this.#notBefore = end + (end - start) * REST;
    this.#options.onCounted();
  }

  #isSame(): boolean {
    const parts = this.#parts();
    return parts.length === this.#seen.length && parts.every((part, at) => part === this.#seen[at]);
  }

  /** Objects that are replaced when what they stand for changes. */
  #parts(): readonly unknown[] {
    const { host } = this.#options;
    const servers = host.servers().flatMap(({ name, status }) => {
      const catalog = runningServer(host, name)?.catalog;
      return [name, status, catalog?.toolColumns, catalog?.instructions];
    });
    return [host.permissionSettings, ...servers];
  }
}

const REST = 20; // times as long as a count took, the next one waits: keys come first
