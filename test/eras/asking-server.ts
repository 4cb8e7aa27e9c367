import type { JsonObject } from '../../src/base/json.js';
import { connect, type Connection } from '../../src/connection/connect.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { ClientFeatures } from '../../src/host/features/client-features.js';
import type { EmbeddedServer } from '../../src/transports/kind.js';
import type { LinkedEnd } from '../../src/transports/in-process/in-process-pipe.js';
import { initialized, modernServer, saying, type StandIn } from './stand-in.js';

/** A request that a server makes before it responds to a call. */
export interface Asked {
  readonly method: string;
  readonly params?: object;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: object;
  readonly error?: object;
}

/** Connects to an asking server as the host does. */
export function meetAsking(server: StandIn | AskingLegacy, serving: ClientFeatures): Promise<Connection> {
  return connect({
    config: { type: 'in-process', name: 'asking', era: server instanceof AskingLegacy ? 'legacy' : 'modern' },
    context: {
      name: 'asking',
      clock: systemClock,
      env: {},
      platform: process.platform,
      cwd: '/',
      processes: new ProcessRegistry(),
      embedded: new Map([['asking', server]]),
    },
    ...serving,
  });
}

/** A modern server: a call returns all input responses, as JSON. */
export function askingModern(asked: readonly Asked[]): StandIn {
  return modernServer(({ params }) =>
    params['inputResponses'] === undefined
      ? {
          resultType: 'input_required',
          inputRequests: Object.fromEntries(asked.map((one, index) => [`k${index}`, one])),
        }
      : saying(JSON.stringify(Object.values(params['inputResponses'] as object))),
  );
}

/** A legacy server: it sends requests of its own, and a call returns their results and errors, as JSON. */
export class AskingLegacy implements EmbeddedServer {
  readonly asked: readonly Asked[];
  /** The capabilities that the host declared. */
  declared: JsonObject = {};
  #end: LinkedEnd | undefined;

  constructor(asked: readonly Asked[]) {
    this.asked = asked;
  }

  connect(end: LinkedEnd): void {
    this.#end = end;
    const told = new Map<number, object>();
    let call: number | undefined;
    const take = ({ id, method, params, result, error }: Message): void => {
      if (method === 'initialize') {
        this.declared = params?.['capabilities'] as JsonObject;
        this.#send({ id: id!, result: initialized });
      } else if (method === 'tools/call') {
        call = id;
        for (const [index, one] of this.asked.entries()) this.#send({ id: 100 + index, params: {}, ...one });
      } else if (result ?? error) {
        told.set(id!, (result ?? error)!);
        if (told.size === this.asked.length) {
          const inOrder = [...told].toSorted(([a], [b]) => a - b).map(([, one]) => one);
          this.#send({ id: call!, result: saying(JSON.stringify(inOrder)) });
        }
      }
    };
    Object.assign(end, { onmessage: take });
  }

  /** Cancels one of its requests. */
  cancel(index: number): void {
    this.#send({ method: 'notifications/cancelled', params: { requestId: 100 + index } });
  }

  #send(message: object): void {
    void this.#end?.send({ jsonrpc: '2.0', ...message } as Parameters<LinkedEnd['send']>[0]);
  }
}
