import { isObject, type JsonObject } from '../../base/json.js';
import type { ClientOffers } from '../../host/tools/client-offers.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { Clean } from '../clean.js';
import type { Offering } from '../offering.js';
import { nameAskerIn } from './named-questions.js';
import { refusePage } from './shown-pages.js';

export interface RelayingOffering extends Pick<Offering, 'only'> {
  readonly offers: Pick<ClientOffers, 'maySample'>;
}

export interface RelayedQuestionsOptions {
  readonly server: string;
  readonly offering: RelayingOffering;
  readonly clean: Clean;
}

/**
 * What a modern server asks in a result that is passed on. Its `requestState` stays byte for byte: no person reads it, and
 * the server compares it. Throws a JsonRpcFailure for what nobody is asked.
 */
export function relayedQuestions(result: JsonObject, { clean, ...options }: RelayedQuestionsOptions): JsonObject {
  refuseDenied(result, options);
  const { requestState } = result;
  const shown = nameAskerIn(clean(result), options.server, options.offering);
  return requestState === undefined || shown === result ? shown : { ...shown, requestState };
}

/** Throws a JsonRpcFailure where a server asks for the model, and a rule denies that, or for a page that is none. */
export function refuseDenied(result: JsonObject, { server, offering }: Omit<RelayedQuestionsOptions, 'clean'>): void {
  const { inputRequests } = result;
  if (!isObject(inputRequests)) return;
  for (const one of Object.values(inputRequests)) {
    if (!isObject(one)) continue;
    if (one['method'] === SAMPLING && !offering.offers.maySample(server)) throw samplingDenied();
    refusePage(server, one);
  }
}

export function samplingDenied(): JsonRpcFailure {
  return new JsonRpcFailure(REJECTED, 'A rule denies that this server uses the model');
}

export const SAMPLING = 'sampling/createMessage';
const REJECTED = -1; // as for sampling that a user has refused
