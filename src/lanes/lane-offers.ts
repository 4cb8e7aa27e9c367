import type { JsonObject } from '../base/json.js';
import type { ToolTraits } from '../connection/catalog/tool-traits.js';
import type { Connection } from '../connection/connect.js';
import type { LineCatalog } from '../connection/line-lifecycle.js';
import { ResourceWatch } from '../connection/requests/resource-watch.js';
import type { Clock } from '../model/clock.js';

export interface LaneOffersOptions {
  readonly clock: Clock;
  /** What calls must know of the server's tools, by name, as its catalog has it. */
  readonly traits: () => Iterable<readonly [string, ToolTraits]>;
  /** Passes on that the server's lists have changed. */
  readonly onListsChanged: (method: string, params: JsonObject) => void;
  /** The server has lost what it kept for this line: there was an earlier connection, or another session on this one. */
  readonly onAnew: () => void;
}

/** What a lane keeps of its server: no list of its own, which would be read once for each client. */
export class LaneOffers implements LineCatalog {
  readonly watch: ResourceWatch;
  readonly #options: LaneOffersOptions;
  #connection: Connection | undefined;
  #hadOne = false;

  constructor(options: LaneOffersOptions) {
    this.#options = options;
    this.watch = new ResourceWatch(options.clock);
  }

  async attach(connection: Connection): Promise<void> {
    if (this.#hadOne) this.#options.onAnew();
    this.#hadOne = true;
    this.#connection = connection;
    this.learn();
    await this.watch.attach(connection);
  }

  /** Takes over what the server's catalog knows of its tools. */
  learn(): void {
    const traits = this.#connection?.traits;
    if (!traits) return;
    traits.clear();
    for (const [tool, special] of this.#options.traits()) traits.set(tool, special);
  }

  detach(): void {
    this.#connection = undefined;
    this.watch.detach();
  }

  onNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/resources/updated') this.watch.hear(params);
    else if (method.endsWith('/list_changed')) this.#options.onListsChanged(method, params);
  }

  async refresh(): Promise<void> {
    this.#options.onAnew();
    this.watch.missed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.detach();
  }
}
