import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import { systemClock } from '../../edge/clock.js';
import type { Host } from '../../host/host.js';
import { isLoopbackAddress } from '../../model/urls/loopback-address.js';
import { toAllowedPlaces } from '../../serving/http/gates.js';
import { type HandledRequest, HttpServing, type HttpServingOptions } from '../../serving/http/http-serving.js';
import { serveOverHttp } from '../../serving/http/serve-over-http.js';
import { ParkedCalls } from '../../serving/modern/parked-calls.js';
import { RequestStates } from '../../serving/modern/request-state.js';
import { Seals } from '../../serving/seal.js';
import { serveOverStdio, type StdioServing } from '../../serving/stdio/serve-over-stdio.js';
import { Gateway } from '../gateway.js';
import { authenticator } from './bearer-key.js';
import { keptKey, keptSecret, readSecretFile } from './kept-secrets.js';

/** Options of `openGateway`. */
export interface OpenGatewayOptions {
  /** Opened with `serves: true`. It stays yours to close, after the gateway. */
  readonly host: Host;
  /**
   * A folder of this user, in which the secret is kept that sessions and cursors are sealed with, and the key of
   * clients. Default: none is kept, and after a restart clients begin anew.
   */
  readonly folder?: string | undefined;
  /** A file with one secret of at least 32 characters, or two while they are rotated: a line each. */
  readonly secretFile?: string | undefined;
  /** `plain`: tools keep their own names where these are unique. Default: `server__tool`. */
  readonly names?: 'prefixed' | 'plain' | undefined;
  /** Called when a preset cannot be served, or a client sends something unusable. Contract: must not throw. */
  readonly onProblem?:
    | ((problem: { readonly message: string; readonly hint?: string | undefined }) => void)
    | undefined;
}

/** How clients over HTTP are served. */
export interface GatewayHttpOptions {
  /**
   * What clients send as `Authorization: Bearer`. `kept`: made once, in the gateway's folder. `none`: everybody who can
   * reach the port may use what the rules allow. Default: `kept`.
   */
  readonly key?: 'kept' | 'none' | { readonly text: string } | undefined;
  /** Where clients reach the gateway through a proxy. */
  readonly publicUrl?: string | undefined;
  /** Names of this machine that clients use, besides those of loopback. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Origins of browser clients. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Whether clients of 2024 are served at `/sse`, too. Default: false. */
  readonly sse?: boolean | undefined;
  /** Called for each request when it is over. Contract: must not throw. */
  readonly onRequest?: ((request: HandledRequest) => void) | undefined;
}

/** Where a gateway listens. */
export interface ListenGatewayOptions extends GatewayHttpOptions {
  /** An address of loopback. Default: 127.0.0.1. */
  readonly address?: string | undefined;
  /** 0: a free one. Default: 0. */
  readonly port?: number | undefined;
}

/** A gateway that listens. Disposing of it closes every connection. */
export interface ListeningGateway extends AsyncDisposable {
  /** `http://127.0.0.1:8931/mcp` */
  readonly url: string;
  /** What clients send; undefined where they need none. */
  readonly key: string | undefined;
  /** The file of a kept key. */
  readonly keyFile: string | undefined;
  /**
   * Takes no new sessions, and waits for requests in flight, at most this long; `onWait` is told how many, if there are
   * any. Never rejects.
   */
  drain(ms: number, onWait?: (requests: number) => void): Promise<void>;
}

/** A handler for a server of `node:http` that the embedder has. */
export interface GatewayHandler extends AsyncDisposable, Pick<ListeningGateway, 'key' | 'keyFile' | 'drain'> {
  readonly handle: RequestListener;
}

/** One client over a pair of streams. */
export interface GatewayStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** What the client gets, as in a URL: `/mcp`, `/mcp/server`, `/mcp/@preset`. Default: `/mcp`. */
  readonly path?: string | undefined;
  /** `tools=search`, as in a URL. */
  readonly query?: string | undefined;
}

/** A host served to clients of any revision of MCP. Close it before the host. */
export interface OpenGateway extends AsyncDisposable {
  /** Listens on loopback. Rejects with a HostError. */
  listen(options?: ListenGatewayOptions): Promise<ListeningGateway>;
  /** Serves over a listener of yours, which has to see to it who can reach it. Rejects with a HostError. */
  handler(options?: GatewayHttpOptions): Promise<GatewayHandler>;
  /** Serves one client over streams, such as stdin and stdout. Throws a HostError for an address that there is not. */
  streams(options: GatewayStreams): StdioServing;
}

/** Opens a gateway over a host: its servers as one MCP server. Rejects with a HostError. */
export async function openGateway({
  host,
  folder,
  secretFile,
  names,
  onProblem,
}: OpenGatewayOptions): Promise<OpenGateway> {
  const secrets =
    secretFile !== undefined
      ? readSecretFile(secretFile)
      : [folder === undefined ? randomBytes(32) : await keptSecret(folder)];
  const seals = new Seals(secrets);
  const clock = systemClock;
  const gateway = new Gateway({ host, seals, naming: names, onProblem });
  const wall = Date.now;
  const parks = (): boolean => gateway.settings.park ?? true;
  const httpOptions = async (
    options: GatewayHttpOptions,
  ): Promise<{ readonly serving: HttpServingOptions; readonly key?: string; readonly keyFile?: string }> => {
    const { key: wanted = 'kept', publicUrl, allowHosts, allowOrigins, sse, onRequest } = options;
    const kept = wanted === 'kept' ? await keptKeyOf(folder) : undefined;
    const key = typeof wanted === 'object' ? wanted.text : kept?.key;
    const serving = {
      clock,
      wall,
      seals,
      places: toAllowedPlaces({
        publicUrl,
        ...(allowHosts && { hosts: allowHosts }),
        ...(allowOrigins && { origins: allowOrigins }),
      }),
      authenticate: authenticator(key),
      endpointOf: (path: string, query: URLSearchParams, principal: string) =>
        gateway.endpoint(path, principal, query.toString()),
      onRequest,
      parks,
      streamAfterMs: () => gateway.settings.streamAfterMs,
      ...(sse !== undefined && { sse }),
    };
    return { serving, ...(key !== undefined && { key }), ...(kept && { keyFile: kept.file }) };
  };
  return {
    async listen({ address = '127.0.0.1', port = 0, ...options } = {}) {
      if (!isLoopbackAddress(address)) throw notLoopback(address);
      const { serving, key, keyFile } = await httpOptions(options);
      const served = await serveOverHttp({ ...serving, host: address, port });
      return {
        url: `${served.origin}/mcp`,
        key,
        keyFile,
        drain: (ms, onWait) => served.drain(ms, onWait),
        [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
      };
    },
    async handler(options = {}) {
      const { serving, key, keyFile } = await httpOptions(options);
      const http = new HttpServing(serving);
      return {
        handle: http.handle,
        key,
        keyFile,
        drain: (ms, onWait) => http.drain(ms, onWait),
        [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
      };
    },
    streams({ input, output, path = '/mcp', query = '' }) {
      const endpoint = gateway.endpoint(path, 'local', query);
      if (!endpoint) throw nothingAt(query === '' ? path : `${path}?${query}`, gateway.paths());
      const services = { clock, states: new RequestStates(seals, wall), parked: new ParkedCalls(), parks };
      const onText = onProblem && ((message: string): void => onProblem({ message }));
      return serveOverStdio({
        input,
        output,
        endpoint,
        principal: 'local',
        services,
        ...(onText && { onProblem: onText }),
      });
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

async function keptKeyOf(folder: string | undefined): ReturnType<typeof keptKey> {
  if (folder !== undefined) return keptKey(folder);
  throw new HostError('usage', 'A gateway without a folder has nowhere to keep a key', {
    hint: 'Open it with a folder, or listen with a key of your own',
  });
}

function nothingAt(address: string, paths: readonly string[]): HostError {
  const more = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : '';
  return new HostError('usage', `There is nothing at ${shorten(address, 200)}`, {
    hint: `There are ${paths.slice(0, NAMED).join(', ')}${more}, each also with ?tools=search or ?tools=auto`,
  });
}

const NAMED = 20;

function notLoopback(address: string): HostError {
  return new HostError('usage', `${address} can be reached from other machines, which a key alone must not protect`, {
    hint: 'Listen on 127.0.0.1, and let a proxy on this machine see to TLS and to who may come',
  });
}
