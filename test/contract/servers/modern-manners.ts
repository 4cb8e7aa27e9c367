// The fixture's modern era: https://modelcontextprotocol.io/specification/2026-07-28/basic/index
import { isObject, type JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Diary } from './diary.js';
import { discoveries } from './fixture-discoveries.js';
import type { FixtureLine } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';
import type { FixtureRequest, Manners } from './manners.js';
import { serverInfo } from './tools.js';
import { RpcError } from './tool-turn.js';

export const MODERN = '2026-07-28';
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

export class ModernManners implements Manners {
  readonly #diary: Diary;
  readonly #line: FixtureLine;
  readonly #options: FixtureOptions;
  readonly #listening = new Map<RequestId, Listening>();

  constructor(diary: Diary, line: FixtureLine, options: FixtureOptions) {
    this.#diary = diary;
    this.#line = line;
    this.#options = options;
  }

  /** Takes messages that name their version; every message when the fixture speaks only this era. */
  owns(message: JsonObject): boolean {
    return this.#options.speaks !== 'both' || toMeta(message['params'])[VERSION_KEY] !== undefined;
  }

  answer(request: FixtureRequest): Promise<object> | undefined {
    const { method, params } = request;
    if (method === 'initialize') return this.#refuse(params['protocolVersion']);
    checkEnvelope(toMeta(params));
    if (method === 'server/discover') return this.#discover();
    return method === 'subscriptions/listen' ? this.#listen(request) : undefined;
  }

  receive(method: string, { requestId }: JsonObject): void {
    if (method === 'notifications/cancelled') this.leave(requestId as RequestId);
  }

  /** Ends the subscription with this id: the client has cancelled it. */
  leave(id: RequestId): void {
    this.#listening.delete(id);
  }

  dress(method: string, result: object): object {
    const { cache = { ttlMs: 0, cacheScope: 'private' } } = this.#options;
    const isKept = 'resultType' in result === false && CACHEABLE.has(method);
    const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    return { resultType: 'complete', _meta: meta, ...(isKept && cache), ...result };
  }

  announce(method: string, params?: JsonObject): void {
    for (const [id, { filter }] of this.#listening) {
      if (isWanted(method, params, filter)) this.tell({ method, params, id, as: id });
    }
  }

  /** Sends a notification on every subscription's stream, under any subscription id, requested or not. */
  whisper({ method, params, as }: Whisper): void {
    for (const id of this.#listening.keys()) this.tell({ method, params, id, as: as === 'its own' ? id : as });
  }

  tell({ method, params, id, as }: Whisper & { readonly id: RequestId }): void {
    const meta = as === undefined ? {} : { _meta: { [SUBSCRIPTION_KEY]: as } };
    this.#line.send({ jsonrpc: '2.0', method, params: { ...params, ...meta } }, id);
  }

  /** Ends every subscription with a result. */
  endAll(): void {
    for (const [id, { end }] of this.#listening) end({ _meta: { [SUBSCRIPTION_KEY]: id } });
    this.#listening.clear();
  }

  async #refuse(version: unknown): Promise<never> {
    await this.#hesitate();
    throw unsupported(version);
  }

  async #hesitate(): Promise<void> {
    const { refusal, handshake } = this.#options;
    if (refusal) throw new RpcError(refusal);
    if (handshake === 'death') this.#line.die();
    if (handshake === 'death' || handshake === 'silence') await new Promise(() => {});
  }

  async #discover(): Promise<object> {
    const { discovery = 'all that is asked', probe, capabilities } = this.#options;
    await this.#hesitate();
    if (probe === 'death') {
      this.#line.die();
      await new Promise(() => {});
    }
    const answer = discoveries[discovery](this.#diary.all('server/discover').length - 1);
    return { ...answer, ...(capabilities && { capabilities }) };
  }

  #listen({ id, params }: FixtureRequest): Promise<object> {
    const { subscription } = this.#options;
    if (subscription === 'refused') throw new RpcError({ code: -32601, message: 'Method not found' });
    const filter = params['notifications'] as Filter;
    if (subscription === 'a note before it is acknowledged') {
      this.tell({ method: 'notifications/tools/list_changed', params: undefined, id, as: id });
    }
    const acknowledged = 'notifications/subscriptions/acknowledged';
    this.tell({ method: acknowledged, params: { notifications: filter }, id, as: id });
    return new Promise((end) => this.#listening.set(id, { filter, end }));
  }
}

interface Listening {
  readonly filter: Filter;
  readonly end: (result: object) => void;
}

interface Filter {
  readonly toolsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

export interface Whisper {
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** The subscription id that the notification carries. */
  readonly as?: RequestId | undefined;
}

const CACHEABLE: ReadonlySet<string> = new Set(['tools/list', 'resources/list', 'resources/read']);

function isWanted(method: string, params: JsonObject | undefined, filter: Filter): boolean {
  switch (method) {
    case 'notifications/tools/list_changed':
      return filter.toolsListChanged === true;
    case 'notifications/resources/list_changed':
      return filter.resourcesListChanged === true;
    default:
      return filter.resourceSubscriptions?.includes(String(params?.['uri'])) === true;
  }
}

export function toMeta(params: unknown): JsonObject {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta : {};
}

/** Throws an `RpcError` when a request lacks its version or the client's capabilities. */
function checkEnvelope({ [VERSION_KEY]: version, [CAPABILITIES_KEY]: capabilities }: JsonObject): void {
  const missing = typeof version !== 'string' ? VERSION_KEY : isObject(capabilities) ? undefined : CAPABILITIES_KEY;
  if (missing !== undefined) {
    throw new RpcError({
      code: -32602,
      message: `Invalid _meta envelope for protocol revision ${MODERN}: ${missing}: missing`,
    });
  }
  if (version !== MODERN) throw unsupported(version);
}

function unsupported(requested: unknown): RpcError {
  const message = `Unsupported protocol version: ${String(requested)}`;
  return new RpcError({ code: -32022, message, data: { supported: [MODERN], requested } });
}
