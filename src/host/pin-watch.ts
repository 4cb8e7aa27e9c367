import type { CheckedPins, Pins } from '../guard/pins.js';
import type { Connection } from '../connection/connection.js';
import type { Fleet } from './fleet.js';

/** Has what pinned servers offer looked at whenever it, or the lock, has changed. */
export class PinWatch {
  readonly #fleet: Fleet;
  readonly #pins: Pins;
  readonly #onVerdict: () => void;
  readonly #checks = new Set<Promise<void>>();
  #count = 0;

  constructor(fleet: Fleet, pins: Pins, onVerdict: () => void) {
    this.#fleet = fleet;
    this.#pins = pins;
    this.#onVerdict = onVerdict;
    fleet.on('catalog', ({ server }) => this.#look(server));
    fleet.on('config', () => this.#lookAtAll());
    this.#lookAtAll();
  }

  /** Resolves when there is a verdict on all that has come. Never rejects. */
  async settled(): Promise<void> {
    while (this.#checks.size > 0) await Promise.all(this.#checks);
  }

  /** Why a tool may not be used as it is now; undefined where nothing is against it. */
  asideReason(server: string, tool: string): string | undefined {
    if (!this.#pins.isPinned(server)) return undefined;
    const verdict = this.#pins.verdict(server);
    return verdict ? verdict.tools.get(tool) : UNCHECKED;
  }

  /** Instructions that are not what they were are withheld. */
  isWithheld(server: string): boolean {
    if (!this.#pins.isPinned(server)) return false;
    const verdict = this.#pins.verdict(server);
    return !verdict || verdict.instructions !== undefined;
  }

  verdict(server: string): CheckedPins | undefined {
    return this.#pins.verdict(server);
  }

  #lookAtAll(): void {
    for (const { name } of this.#fleet.connections()) this.#look(name);
    this.#onVerdict();
  }

  #look(server: string): void {
    const connection = this.#fleet.connection(server);
    if (!connection || !this.#pins.isPinned(server)) return;
    const check = this.#check(connection).finally(() => this.#checks.delete(check));
    this.#checks.add(check);
  }

  async #check({ name, catalog }: Connection): Promise<void> {
    await this.#pins.check(name, { offer: catalog, revision: ++this.#count });
    this.#onVerdict();
  }
}

const UNCHECKED = 'it has not been compared with mcp.lock yet';
