import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../../src/base/json.js';
import type { FixtureOptions } from './fixture-options.js';
import type { HttpStyle } from './http-answers.js';
import { HttpSessions } from './http-session.js';
import { listen, type Listening, readJson } from './listening.js';
import { ModernEndpoint } from './modern-endpoint.js';
import { toMeta, VERSION_KEY } from './modern-manners.js';

export interface ServedOverHttp extends Listening {
  /** Sessions that no client has ended. */
  readonly sessions: Map<string, unknown>;
}

/** The fixture behind an HTTP endpoint, in the eras that it speaks. */
export async function serveFixture(options: FixtureOptions, style: HttpStyle): Promise<ServedOverHttp> {
  const served = await listen((request, response) => void take(request, response));
  const { speaks = 'legacy' } = options;
  const { token } = style;
  const sessions = new HttpSessions(options, style, () => served.breakOff());
  const modern = new ModernEndpoint(options, style, () => served.breakOff());
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    const message = request.method === 'POST' ? await readJson(request) : undefined;
    const isModern = speaks === 'modern' || (speaks === 'both' && isObject(message) && isEnveloped(message));
    (isModern ? modern : sessions).take(request, response, message);
  };
  return Object.assign(served, { sessions: sessions.all });
}

function isEnveloped({ params }: { readonly [key: string]: unknown }): boolean {
  return toMeta(params)[VERSION_KEY] !== undefined;
}
