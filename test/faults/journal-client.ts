import { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { connect, type Connection } from '../../src/connection/connect.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { ServerConfig } from '../../src/transports/kinds.js';

export interface WriteOptions {
  readonly timeoutMs: number;
  /** Characters that the answer has besides. */
  readonly padding?: number;
}

/** What became of one call. */
export interface Written {
  readonly word: string;
  /** `ok`, or the code of its error. */
  readonly outcome: string;
  readonly message: string;
  readonly tookMs: number;
}

/** Somebody who writes into a journal, and connects again when there is no connection any more. */
export class JournalClient implements AsyncDisposable {
  readonly #config: ServerConfig;
  #connection: Promise<Connection> | undefined;

  constructor(config: ServerConfig) {
    this.#config = config;
  }

  /** Never rejects, unless with a fault of ours. */
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
