import { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { connect, type Connection } from '../../src/connection/connect.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { ServerConfig } from '../../src/transports/kinds.js';

export interface WriteOptions {
  readonly timeoutMs: number;
  /** Additional characters in the response. */
  readonly padding?: number;
}

/** The outcome of one call. */
export interface Written {
  readonly word: string;
  /** `ok`, `wrong`, or the code of the error. */
  readonly outcome: string;
  readonly message: string;
  readonly tookMs: number;
}

/** A client that writes into a journal, and connects again when its connection has closed. */
export class JournalClient implements AsyncDisposable {
  readonly #config: ServerConfig;
  #connection: Promise<Connection> | undefined;

  constructor(config: ServerConfig) {
    this.#config = config;
  }

  /** Rejects only on errors other than `HostError`. */
  async write(word: string, { timeoutMs, padding = 0 }: WriteOptions): Promise<Written> {
    const began = performance.now();
    const end = (outcome: string, message = ''): Written => ({
      word,
      outcome,
      message,
      tookMs: performance.now() - began,
    });
    try {
      const connection = await this.#connect(timeoutMs);
      const left = Math.max(timeoutMs - (performance.now() - began), 1);
      const { content } = await callTool(
        connection,
        { tool: 'write', input: { word, padding } },
        { timeoutMs: Math.ceil(left) },
      );
      const text = content[0]?.['text'];
      return text === `${word}${'.'.repeat(padding)}` ? end('ok') : end('wrong', JSON.stringify(content));
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return end(error.code, error.message);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#connection?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  #connect(timeoutMs: number): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const opening = connect({
      config: this.#config,
      context: {
        name: 'journal',
        clock: systemClock,
        env: {},
        platform: process.platform,
        cwd: process.cwd(),
        processes: new ProcessRegistry(),
      },
      timeoutMs,
    });
    this.#connection = opening;
    const forget = (): void => void (this.#connection = this.#connection === opening ? undefined : this.#connection);
    opening.then((connection) => connection.closed.then(forget), forget);
    return opening;
  }
}
