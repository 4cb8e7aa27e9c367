import { isObject, type JsonObject } from '../../base/json.js';
import type { ServerError } from '../../model/server-result.js';
import { gateName } from '../../model/text/text-gate.js';
import type { Question } from '../../serving/endpoint.js';
import type { Offering } from '../offering.js';

/**
 * What a server asks a person, with its name in front where the address gives several servers: the client knows only the
 * gateway. Questions to a model or about roots stay as they are, and so do all at the address of one server.
 */
export function nameAsker(question: Question, server: string, { only }: Pick<Offering, 'only'>): Question {
  if (only !== undefined || question.method !== ELICITATION) return question;
  return { ...question, params: nameIn(question.params, server) };
}

/** The same for the questions that a modern server asks in a result. */
export function nameAskerIn(result: JsonObject, server: string, { only }: Pick<Offering, 'only'>): JsonObject {
  const { inputRequests } = result;
  if (only !== undefined || !isObject(inputRequests)) return result;
  const named = Object.entries(inputRequests).map(([key, one]) => {
    const isForPerson = isObject(one) && one['method'] === ELICITATION && isObject(one['params']);
    return [key, isForPerson ? { ...one, params: nameIn(one['params'] as JsonObject, server) } : one];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}

/** The same for the pages that a legacy server wants visited, in its error. */
export function nameAskerInError<Failure extends ServerError | undefined>(
  error: Failure,
  server: string,
  { only }: Pick<Offering, 'only'>,
): Failure | ServerError {
  if (only !== undefined || error?.code !== URL_REQUIRED || !isObject(error.data)) return error;
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations)) return error;
  const named = elicitations.map((page: unknown) => (isObject(page) ? nameIn(page, server) : page));
  return { ...error, data: { ...error.data, elicitations: named } };
}

function nameIn(params: JsonObject, server: string): JsonObject {
  const { message } = params;
  return typeof message === 'string' ? { ...params, message: `Server "${gateName(server)}" asks: ${message}` } : params;
}

const ELICITATION = 'elicitation/create';
export const URL_REQUIRED = -32_042;
