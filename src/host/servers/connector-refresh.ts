import { existsSync } from 'node:fs';
import { within } from '../../base/within.js';
import { type HostConfig, loadHostConfig } from '../../config/load.js';
import type { Catalogue } from '../../config/scope.js';
import { catalogueFile } from '../../config/scopes/connectors.js';
import type { Clock } from '../../model/clock.js';

export interface ConnectorRefreshOptions {
  readonly clock: Clock;
  readonly wall: () => number;
  readonly signal: AbortSignal;
  /** The catalogue has answered: the configuration with what it says. Contract: must not throw. */
  readonly onAnswer: (loaded: HostConfig) => void;
  /** Contract: must not throw. */
  readonly onProblem: (text: string) => void;
}

/** Asks the catalogue of the account's connectors in the background: when a host is opened, and when its address or token is another. */
export class ConnectorRefresh {
  readonly #options: ConnectorRefreshOptions;
  #asked: string | undefined;
  #asking: Promise<void> = Promise.resolve();
  #isKnown = true;

  constructor(options: ConnectorRefreshOptions) {
    this.#options = options;
  }

  /** Looks whether somebody has to be asked, and does not wait for it. */
  look({ context, settings: { connectors }, lock }: HostConfig): void {
    if (!connectors || lock !== undefined || context.options.strict === true) return;
    const file = catalogueFile(context, connectors);
    if (file === undefined || file === this.#asked) return;
    this.#asked = file;
    this.#isKnown = existsSync(file);
    this.#asking = this.#ask(context, connectors);
  }

  /** Until the catalogue has answered, or will not; where an older answer is known, only for a moment. Never rejects. */
  async settled(): Promise<void> {
    if (!this.#isKnown) return this.#asking;
    await within(this.#asking, {
      deadline: (expire) => this.#options.clock.after(MOMENT_MS, expire),
      instead: () => undefined,
    });
  }

  async #ask(context: HostConfig['context'], catalogue: Catalogue): Promise<void> {
    const { wall, signal, onAnswer, onProblem } = this.#options;
    try {
      const { refreshStale } = await import('../../config/connectors.js');
      const asked = await refreshStale(context, catalogue, { now: new Date(wall()), signal });
      if (signal.aborted || asked.kind === 'fresh') return;
      if (asked.kind === 'failed') return onProblem(`The connectors are as last known: ${asked.error.message}`);
      const loaded = await loadHostConfig(context);
      if (!signal.aborted) onAnswer(loaded);
    } catch (cause) {
      if (!signal.aborted) onProblem(`The connectors are as last known: ${String(cause)}`);
    } finally {
      this.#isKnown = true;
    }
  }
}

const MOMENT_MS = 250;
