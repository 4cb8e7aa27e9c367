import { isObject, type JsonObject } from '../../base/json.js';
import type { ClientOffers } from '../../host/tools/client-offers.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { Clean } from '../clean.js';
import type { Offering } from '../offering.js';
import { nameAskerIn } from './named-questions.js';

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
 * the server compares it. Throws a JsonRpcFailure for what a rule denies.
 */
export function relayedQuestions(result: JsonObject, { clean, ...options }: RelayedQuestionsOptions): JsonObject {
  refuseDenied(result, options);
  const { requestState } = result;
  const shown = nameAskerIn(clean(result), options.server, options.offering);
  return requestState === undefined || shown === result ? shown : { ...shown, requestState };
}

/** Throws a JsonRpcFailure where a server asks for the model, and a rule denies that. */
export function refuseDenied(result: JsonObject, { server, offering }: Omit<RelayedQuestionsOptions, 'clean'>): void {
  const { inputRequests } = result;
  if (!isObject(inputRequests)) return;
  const isSampling = Object.values(inputRequests).some((one) => isObject(one) && one['method'] === SAMPLING);
  if (isSampling && !offering.offers.maySample(server)) throw samplingDenied();
}

export function samplingDenied(): JsonRpcFailure {
  return new JsonRpcFailure(REJECTED, 'A rule denies that this server uses the model');
}

export const SAMPLING = 'sampling/createMessage';
const REJECTED = -1; // as for sampling that a user has refused
