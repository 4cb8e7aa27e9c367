// The fixture's legacy era: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
import type { JsonObject } from '../../../src/base/json.js';
import type { Fixture, FixtureLine } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';
import type { FixtureRequest, Manners } from './manners.js';
import { capabilities, instructions, serverInfo } from './tools.js';
import { RpcError } from './tool-turn.js';

export class LegacyManners implements Manners {
  readonly #fixture: Fixture;
  readonly #line: FixtureLine;
  readonly #options: FixtureOptions;

  constructor(fixture: Fixture, line: FixtureLine, options: FixtureOptions) {
    this.#fixture = fixture;
    this.#line = line;
    this.#options = options;
  }

  /** Takes every message that the modern era has not taken before. */
  owns(): boolean {
    return true;
  }

  answer(request: FixtureRequest): Promise<object> | undefined {
    switch (request.method) {
      case 'initialize':
        return this.#handshake(request);
      case 'ping':
      case 'logging/setLevel':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return Promise.resolve({});
      default:
        return undefined;
    }
  }

  receive(): void {}

  dress(_method: string, result: object): object {
    return result;
  }

  announce(method: string, params?: JsonObject): void {
    this.#line.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  async #handshake({ id, params: { protocolVersion } }: FixtureRequest): Promise<object> {
    const { version = protocolVersion, refusal, handshake, capabilities: offered = capabilities } = this.#options;
    if (refusal) throw new RpcError(refusal);
    if (handshake === 'death') this.#line.die();
    if (handshake === 'death' || handshake === 'silence') await new Promise(() => {});
    if (handshake === 'a question first') await this.#fixture.ask({ method: 'ping', params: undefined, about: id });
    const result = { protocolVersion: version, capabilities: offered, serverInfo, instructions };
    if (handshake === 'twice') this.#line.send({ jsonrpc: '2.0', id, result }, id);
    return handshake === 'twice' ? { ...result, instructions: 'Ask for what I need.' } : result;
  }
}
