import { existsSync } from 'node:fs';
import { within } from '../../base/within.js';
import { type HostConfig, loadHostConfig } from '../../config/load.js';
import type { ConnectorService } from '../../config/scope.js';
import { catalogueFile } from '../../config/scopes/connectors.js';
import type { Clock } from '../../model/clock.js';

export interface ConnectorRefreshOptions {
  readonly clock: Clock;
  readonly wall: () => number;
  readonly signal: AbortSignal;
  /** Receives the configuration with the fetched connectors. Contract: must not throw. */
  readonly onAnswer: (loaded: HostConfig) => void;
  /** Contract: must not throw. */
  readonly onProblem: (text: string) => void;
}

/** Fetches the account's connectors in the background: when a host is opened, and when their URL or token changes. */
export class ConnectorRefresh {
  readonly #options: ConnectorRefreshOptions;
  #asked: string | undefined;
  #asking: Promise<void> = Promise.resolve();
  #isKnown = true;

  constructor(options: ConnectorRefreshOptions) {
    this.#options = options;
  }

  /** Starts a fetch if one is needed, without waiting for it. */
  look({ context, settings: { connectors }, lock }: HostConfig): void {
    if (!connectors || lock !== undefined || context.options.strict === true) return;
    const file = catalogueFile(context, connectors);
    if (file === undefined || file === this.#asked) return;
    this.#asked = file;
    this.#isKnown = existsSync(file);
    this.#asking = this.#ask(context, connectors);
  }

  /** Waits until the fetch has ended; where an older list is cached, `MOMENT_MS` at most. Never rejects. */
  async settled(): Promise<void> {
    if (!this.#isKnown) return this.#asking;
    await within(this.#asking, {
      deadline: (expire) => this.#options.clock.after(MOMENT_MS, expire),
      instead: () => undefined,
    });
  }

  async #ask(context: HostConfig['context'], catalogue: ConnectorService): Promise<void> {
    const { wall, signal, onAnswer, onProblem } = this.#options;
    try {
      const { refreshStale } = await import('../../config/connectors.js');
      const asked = await refreshStale(context, catalogue, { now: new Date(wall()), signal });
      if (signal.aborted || asked.kind === 'fresh') return;
      if (asked.kind === 'failed') return onProblem(`Plugboard uses the last known connectors: ${asked.error.message}`);
      const loaded = await loadHostConfig(context);
      if (!signal.aborted) onAnswer(loaded);
    } catch (cause) {
      if (!signal.aborted) onProblem(`Plugboard uses the last known connectors: ${String(cause)}`);
    } finally {
      this.#isKnown = true;
    }
  }
}

const MOMENT_MS = 250;
