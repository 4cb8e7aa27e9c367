import { diagnosedFailures } from '../../actions/health/diagnosed-error.js';
import { runningServer } from '../../actions/running-server.js';
import type { Host, HostError } from '../../index.js';

/** Why servers fail, in the words of `doctor`: found out again when a server fails in another way. */
export class ToldFailures implements Disposable {
  readonly #host: Host;
  readonly #onTold: () => void;
  /** By server: the failure, and how it is told. */
  #told: ReadonlyMap<string, { readonly failure: HostError; readonly told: HostError }> = new Map();
  #isLooking = false;
  #isEnded = false;

  /** `onTold`: called when more is known. Contract: must not throw. */
  constructor(host: Host, onTold: () => void) {
    this.#host = host;
    this.#onTold = onTold;
  }

  /** Undefined where the server does not fail, and until its failure has been diagnosed. */
  of(server: string): HostError | undefined {
    const known = this.#told.get(server);
    return known && known.failure === failureOf(this.#host, server) ? known.told : undefined;
  }

  /** Diagnoses failures of these servers that are new. */
  look(servers: readonly string[]): void {
    const failures = servers.flatMap((name) => failureOf(this.#host, name) ?? []);
    const known = new Set([...this.#told.values()].map(({ failure }) => failure));
    if (this.#isEnded || this.#isLooking || failures.every((failure) => known.has(failure))) return;
    this.#isLooking = true;
    void this.#diagnose();
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
  }

  async #diagnose(): Promise<void> {
    try {
      this.#told = await diagnosedFailures(this.#host);
      if (!this.#isEnded) this.#onTold();
    } catch {
      // The panel shows the failure itself.
    } finally {
      this.#isLooking = false;
    }
  }
}

function failureOf(host: Host, server: string): HostError | undefined {
  const status = runningServer(host, server)?.status;
  return status && 'error' in status ? status.error : undefined;
}
