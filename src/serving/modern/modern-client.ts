import { Lru } from '../../base/collections/lru.js';
import type { JsonObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { Client } from '../endpoint.js';
import { toKnownCapabilities } from '../legacy/agreement.js';
import { METHOD_NOT_FOUND } from '../outgoing.js';
import type { RequestEnvelope } from './envelope.js';

/** A client of the modern era, which has no session: all requests that say the same of their client. */
export class ModernClient implements Client {
  readonly era = 'modern';
  readonly principal: string;
  readonly owner: string;
  readonly isDistinct: boolean;
  readonly revision: string;
  readonly info: Implementation;
  readonly capabilities: JsonObject;
  readonly logLevel = undefined;
  /** In this era nobody is asked outside of a request. */
  readonly isReachable = false;

  constructor(principal: string, session: string | undefined, { revision, info, capabilities }: RequestEnvelope) {
    this.principal = principal;
    this.isDistinct = session !== undefined;
    // Those who say nothing of sessions share upstream connections only with the same program of the same user.
    this.owner = JSON.stringify(session === undefined ? [principal, info.name] : [principal, session, '']);
    this.revision = revision;
    this.info = info;
    this.capabilities = capabilities;
  }

  ask(): Promise<JsonObject> {
    return Promise.reject(new JsonRpcFailure(METHOD_NOT_FOUND, 'The client cannot be asked outside of a request'));
  }

  notify(): void {
    // A modern client hears of changes by subscriptions/listen only.
  }
}

/** The modern clients of one endpoint: the same object for the same client, while it is used. */
export class ModernClients {
  readonly #known = new Lru<ModernClient>({ count: CLIENT_COUNT, size: CLIENT_SIZE });

  /** `session`: what stands for a session, in a header of the client's choice; else its name does. */
  of(principal: string, session: string | undefined, envelope: RequestEnvelope): ModernClient {
    const { info, revision } = envelope;
    let { capabilities } = envelope;
    let key = JSON.stringify([principal, session, info, capabilities, revision]);
    if (key.length > KEY_LIMIT) {
      // More than a client can mean: kept is what is known, which is small.
      capabilities = toKnownCapabilities(capabilities);
      key = JSON.stringify([principal, session, info, capabilities, revision]);
    }
    const known = this.#known.get(key);
    if (known) return known;
    const client = new ModernClient(principal, session, { ...envelope, capabilities });
    this.#known.set(key, client, key.length);
    return client;
  }
}

const CLIENT_COUNT = 1_000;
const CLIENT_SIZE = 10_000_000; // characters of the keys
const KEY_LIMIT = 40_000; // characters; a header with a session may have 16 KB
