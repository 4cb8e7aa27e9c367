import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../src/base/json.js';
import { Gateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import type { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import {
  type Client,
  type ClientRequest,
  type Endpoint,
  type Question,
  SerializedResult,
} from '../../src/serving/endpoint.js';
import { Seals } from '../../src/serving/seal.js';
import { JsonRpcFailure } from '../../src/wire/inbound.js';
import { type Entries, openScene, type Scene } from '../host/scene.js';

/** A host with servers, a gateway over it, and clients that ask its endpoints directly. */
export interface GatewayScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly host: Host;
  readonly gateway: Gateway;
  endpoint(path?: string, query?: string): Endpoint;
}

export interface GatewaySceneOptions {
  readonly settings?: object;
  readonly host?: HostOptions;
  readonly gateway?: Partial<GatewayOptions>;
  /** Whether to wait for the servers before the gateway opens. Default: true. */
  readonly isSettled?: boolean;
}

export async function openGatewayScene(entries: Entries, options: GatewaySceneOptions = {}): Promise<GatewayScene> {
  const scene = openScene();
  scene.configure(entries, options.settings);
  const { host } = await scene.open({ serves: true, ...options.host });
  if (options.isSettled !== false) await host.settled();
  const gateway = new Gateway({ host, seals: SEALS, ...options.gateway });
  return {
    scene,
    host,
    gateway,
    endpoint(path = '/mcp', query = '') {
      const endpoint = gateway.endpoint(path, 'local', query);
      if (!endpoint) throw new Error(`${path} has no endpoint`);
      return endpoint;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

const SEALS = new Seals([randomBytes(32)]);

export interface TestClient extends Client {
  /** What it was asked, in requests and outside. */
  readonly asked: Question[];
  readonly notified: { readonly method: string; readonly params: JsonObject }[];
}

export interface TestClientOptions extends Partial<Client> {
  /** Answers questions. Default: none can be asked. */
  readonly answers?: (question: Question, signal: AbortSignal) => JsonObject | Promise<JsonObject>;
}

/** A client; by default of 2026-07-28, without capabilities. */
export function testClient({ answers, ...given }: TestClientOptions = {}): TestClient {
  const asked: Question[] = [];
  const notified: TestClient['notified'] = [];
  return {
    principal: 'local',
    era: 'modern',
    revision: '2026-07-28',
    info: { name: 'tester', version: '1' },
    capabilities: {},
    owner: 'owner-1',
    logLevel: undefined,
    isReachable: true,
    isDistinct: true,
    ...given,
    asked,
    notified,
    async ask(question, signal) {
      asked.push(question);
      if (!answers) throw new JsonRpcFailure(-32601, 'This client answers nothing');
      return answers(question, signal);
    },
    notify: (method, params) => void notified.push({ method, params }),
  };
}

/** A request of a client, with the result as an object. */
export async function ask(
  endpoint: Endpoint,
  method: string,
  params: JsonObject = {},
  { client = testClient(), ...more }: Partial<ClientRequest> = {},
): Promise<JsonObject> {
  const served = await endpoint.request({
    client,
    method,
    params,
    signal: new AbortController().signal,
    inputs: undefined,
    relays: false,
    isPermitted: false,
    permit: () => undefined,
    logLevel: undefined,
    onProgress: undefined,
    log: () => undefined,
    ask: (question, signal) => client.ask(question, signal),
    ...more,
  });
  return served instanceof SerializedResult ? (JSON.parse(served.bytes.toString()) as JsonObject) : served;
}

/** What a request was refused with. */
export async function refusalOf(asking: Promise<unknown>): Promise<{ code: number; message: string; data: unknown }> {
  try {
    await asking;
  } catch (error) {
    if (!(error instanceof JsonRpcFailure)) throw error;
    const { code, message, data } = error;
    return { code, message, data };
  }
  throw new Error('The request was not refused');
}
