import { unreachable } from '../../src/base/never.js';
import { Secret } from '../../src/base/secret.js';
import type { Account } from '../../src/model/account.js';
import type { Place, ServerName } from './behaviour.js';
import type { Address } from './clients/contract-client.js';
import { embedFixtureInProgram, embedServerInProgram } from './servers/embedding.js';
import { serveFixture, type ServedOverHttp } from './servers/fixture-http.js';
import { embedFixture } from './servers/fixture-in-process.js';
import type { FixtureOptions } from './servers/fixture-options.js';
import { serveFixtureOverSse } from './servers/fixture-sse.js';
import { serveOldSdk, serveOldSdkOverSse, serveSdk } from './servers/sdk-http.js';
import { embedOldSdk, embedSdk, serveOverWs } from './servers/sdk-in-process.js';
import { serveFixtureOverWs } from './servers/ws-server.js';

/** A server that waits for its client. */
export interface Started {
  readonly address: Address;
  /** Defined only over HTTP. */
  readonly http?: ServedOverHttp;
  /** What to dispose of to end the server. */
  readonly served?: AsyncDisposable;
}

export interface StartOptions {
  readonly place: Place;
  readonly options: FixtureOptions;
  /** The server as a file for node. */
  readonly program: () => Promise<string>;
  readonly env: Readonly<Record<string, string>>;
}

const embed = { fixture: embedFixture, sdk: embedSdk, 'old-sdk': embedOldSdk };
const serve = { fixture: serveFixture, sdk: serveSdk, 'old-sdk': serveOldSdk };

export async function startServer({ place, options, program, env }: StartOptions): Promise<Started> {
  const { server, transport } = place;
  switch (transport) {
    case 'in-process':
      return { address: { kind: 'in-process', server: embed[server](options) } };
    case 'stdio': {
      const told = { ...env, CONTRACT_OPTIONS: JSON.stringify(options) };
      return { address: { kind: 'stdio', file: await program(), env: told } };
    }
    case 'http':
    case 'http-json':
      return overHttp('http', await serve[server](options, { answers: transport === 'http' ? 'events' : 'json' }));
    case 'connector': {
      const { http, ...started } = overHttp(
        'http',
        await serveFixture(options, { answers: 'events', token: NEW_TOKEN }),
      );
      return { ...started, http: http!, address: { kind: 'connector', url: http!.url, account } };
    }
    case 'sse':
      return overHttp('sse', await (server === 'fixture' ? serveFixtureOverSse(options) : serveOldSdkOverSse()));
    case 'ws': {
      const served = await (server === 'fixture' ? serveFixtureOverWs(options) : serveOverWs(embed[server](options)));
      return { address: { kind: 'ws', url: served.url }, served };
    }
    case 'sdk': {
      const served = inProgram(server, options);
      return { address: { kind: 'sdk', control: served.control }, served };
    }
    default:
      return unreachable(transport);
  }
}

export const OLD_TOKEN = 'the-token-of-yesterday';
export const NEW_TOKEN = 'the-token-of-today';

/** An account whose token has expired and can be renewed. */
const account: Account = {
  token: () => Promise.resolve(new Secret(OLD_TOKEN)),
  renew: () => Promise.resolve(new Secret(NEW_TOKEN)),
};

function overHttp(kind: 'http' | 'sse', http: ServedOverHttp): Started {
  return { address: { kind, url: http.url }, http, served: http };
}

function inProgram(server: ServerName, options: FixtureOptions): ReturnType<typeof embedServerInProgram> {
  return server === 'fixture' ? embedFixtureInProgram(options) : embedServerInProgram(embed[server](options));
}
