// The handshake until 2025-11-25: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import { badResponse, shownValue } from '../response.js';
import type { CallOptions } from '../peer.js';
import { CLIENT_BEHIND, MODERN_VERSIONS, toldClient } from './envelope.js';
import type { Era, OpenPipe, OpenMcpSessionOptions, McpSession, SubscriptionFilter } from './era.js';
import { readImplementation, readInstructions } from './server-info.js';
import { type TimedRequest, timeLeft } from './time-left.js';
import { noVersion } from './versions.js';
import { LEGACY_VERSIONS } from './legacy-versions.js';
import { LegacyLogging } from './legacy-logging.js';
import { LegacySubscriptions } from './legacy-subscriptions.js';

export const legacy: Era = { name: 'legacy', open };

async function open(line: OpenPipe, options: OpenMcpSessionOptions): Promise<McpSession> {
  const session = new LegacySession(line, options);
  await session.handshake(options.signal);
  return session;
}

class LegacySession implements McpSession {
  readonly era = 'legacy';
  readonly mirrorsArguments = false;
  version = '';
  server: Implementation = { name: '', version: '' };
  capabilities: JsonObject = {};
  instructions: string | undefined;
  readonly request: McpSession['request'];
  readonly send: McpSession['send'];
  readonly #line: OpenPipe;
  readonly #options: OpenMcpSessionOptions;
  readonly #watch: LegacySubscriptions;
  readonly #logging: LegacyLogging;
  /** The handshake in progress, shared by all requests that wait for it. */
  #renewal: Promise<void> | undefined;
  #handshakes = 0;
  /** The server has lost the session, and no new handshake has succeeded yet. */
  #isSessionLost = false;

  constructor(line: OpenPipe, options: OpenMcpSessionOptions) {
    this.#line = line;
    this.#options = options;
    const { peer, pipe } = line;
    this.#watch = new LegacySubscriptions(line, options.onNotification ?? (() => {}));
    const request: McpSession['request'] = pipe.losesSessions
      ? (method, params, callOptions) => this.#requestWithRenewal(method, params, callOptions)
      : peer.request.bind(peer);
    this.#logging = new LegacyLogging(request, options.opener);
    this.request = (method, params, callOptions) =>
      callOptions?.logLevel === undefined
        ? request(method, params, callOptions)
        : this.#logging.request(method, params, callOptions);
    this.send = pipe.losesSessions ? undefined : peer.send.bind(peer);
  }

  async handshake(signal: AbortSignal | undefined): Promise<void> {
    const { pipe, peer } = this.#line;
    const { opener, capabilities, timeoutMs } = this.#options;
    const { client, behind } = toldClient(opener, this.#options.client);
    const params = {
      protocolVersion: LEGACY_VERSIONS[0],
      capabilities,
      clientInfo: client,
      ...(behind && { _meta: { [CLIENT_BEHIND]: behind } }),
    };
    const result = await peer.request('initialize', params, { timeoutMs, signal });
    this.version = readVersion(result['protocolVersion'], peer.name);
    this.server = readImplementation(result['serverInfo']);
    this.capabilities = isObject(result['capabilities']) ? result['capabilities'] : {};
    this.instructions = readInstructions(result['instructions']);
    peer.adopt({ era: 'legacy', version: this.version });
    peer.setNotificationListener((method, note) => this.#watch.onNotification(method, note));
    await peer.within(this.#tellInitialized(signal), 'initialize', { timeoutMs, signal });
    pipe.listen();
    this.#isSessionLost = false;
    // With the session the server has lost the level too.
    this.#logging.begin(this.capabilities);
    // With the session the server has lost the subscriptions too.
    if (this.#handshakes++ === 0) return;
    void this.#watch.renew(this.capabilities);
    this.#options.onRenewal?.();
  }

  watch(wanted: SubscriptionFilter): Promise<void> {
    return this.#watch.set(wanted, this.capabilities);
  }

  relevel(): void {
    this.#logging.relevel();
  }

  answerInputs(): Promise<JsonObject> {
    const text = `Server "${this.#line.peer.name}" speaks ${this.version}, in which nothing is asked within an answer`;
    return Promise.reject(new HostError('unsupported', text));
  }

  /** A server that refuses the notification with 401 or 403 is still usable if it answers a ping. */
  async #tellInitialized(signal: AbortSignal | undefined): Promise<void> {
    const { peer } = this.#line;
    try {
      await peer.notify('notifications/initialized');
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'unauthorized') throw error;
      const { timeoutMs } = this.#options;
      const isAnswered = await peer.request('ping', undefined, { timeoutMs, signal }).then(
        () => true,
        (cause: unknown) => cause instanceof HostError && cause.code === 'server-error',
      );
      if (!isAnswered) throw error;
      peer.warning({ kind: 'oddity', text: `it refuses notifications/initialized: ${error.message}` });
    }
  }

  /**
   * A server that has lost the session has not processed the request, so it is sent again after one new handshake,
   * which all waiting calls share. All this within the call's one deadline.
   */
  #requestWithRenewal(method: string, params: object | undefined, options: CallOptions = {}): Promise<JsonObject> {
    const { peer } = this.#line;
    const attempt: NumberedRequest = {
      method,
      params,
      options,
      began: peer.clock.monotonic(),
      handshake: this.#handshakes,
    };
    // During a new handshake, or after a failed one, the request would be sent without a session.
    if (this.#isSessionLost) return this.#askAgain(attempt);
    return peer.request(method, params, options).catch((error: unknown) => {
      if (!(error instanceof HostError) || error.code !== 'session-lost') throw error;
      if (this.#options.mayRenew?.() === false) throw handshakeError(error, peer.name);
      return this.#askAgain(attempt);
    });
  }

  async #askAgain({ method, params, options, began, handshake }: NumberedRequest): Promise<JsonObject> {
    const { peer } = this.#line;
    const left = (): CallOptions => timeLeft(options, peer.clock.monotonic() - began);
    if (this.#isSessionLost || handshake === this.#handshakes) await peer.within(this.#renew(), method, left());
    return peer.request(method, params, left());
  }

  /** Starts one new handshake for all requests that wait for it. */
  #renew(): Promise<void> {
    this.#isSessionLost = true;
    this.#renewal ??= this.handshake(undefined)
      .catch((error: unknown) => Promise.reject(handshakeError(error, this.#line.peer.name)))
      .finally(() => (this.#renewal = undefined));
    this.#renewal.catch(() => {}); // the waiting requests report it
    return this.#renewal;
  }
}

/** The request was not processed, so a failed handshake counts as a failed connect. */
function handshakeError(error: unknown, server: string): unknown {
  if (!(error instanceof HostError) || error.code === 'connect-failed' || error.code === 'unauthorized') return error;
  const { message, hint, detail } = error;
  return new HostError('connect-failed', `Server "${server}" has forgotten us, and a new greeting failed: ${message}`, {
    hint,
    detail,
    cause: error,
  });
}

interface NumberedRequest extends TimedRequest {
  /** The number of handshakes before this request was sent. */
  readonly handshake: number;
}

function readVersion(version: unknown, server: string): string {
  if (typeof version !== 'string') {
    throw badResponse({ server, method: 'initialize' }, `its protocolVersion is ${shownValue(version)}`);
  }
  if ((LEGACY_VERSIONS as readonly string[]).includes(version)) return version;
  if ((MODERN_VERSIONS as readonly string[]).includes(version)) {
    throw new HostError('unsupported', `Server "${server}" answers initialize in ${version}, which has none`, {
      hint: 'Write "era": "modern" in its entry, and tell the author of the server',
    });
  }
  throw noVersion(server, [version]);
}
