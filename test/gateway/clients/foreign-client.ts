import type { JsonObject } from '../../../src/base/json.js';

/** Where a server is: at a URL, or a program of node. */
export type ServerAddress =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'stdio'; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

/** What a request led to, as the client was told. */
export type Answer = { readonly result: JsonObject } | { readonly error: JsonObject };

/** Answers a question of a server. */
export type AnswerQuestion = (method: string, params: JsonObject) => JsonObject;

/** A client that nobody here wrote. */
export interface ForeignClient extends AsyncDisposable {
  request(method: string, params?: JsonObject): Promise<Answer>;
  /** Subscribes to a resource, in the way of the client's era. `updated`: the client is told of a change. */
  subscribe(uri: string): Promise<{ readonly updated: Promise<void> }>;
}

export interface ForeignClientKind {
  readonly name: string;
  readonly era: 'legacy' | 'modern';
  open(address: ServerAddress, answer?: AnswerQuestion): Promise<ForeignClient>;
}

/** Declared by every client here, so that servers offer all that they have. */
export const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
export const clientInfo = { name: 'foreign', version: '1.0.0' };

/** The answers of a user who agrees with everything, and of a model that knows one word. */
export function agree(method: string, params: JsonObject): JsonObject {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///home/someone', name: 'home' }] };
  if (method === 'sampling/createMessage') {
    return { role: 'assistant', model: 'a model', content: { type: 'text', text: 'four' }, stopReason: 'endTurn' };
  }
  if (params['mode'] === 'url') return { action: 'accept' };
  const { properties } = params['requestedSchema'] as { properties: Readonly<Record<string, JsonObject>> };
  return { action: 'accept', content: Object.fromEntries(Object.entries(properties).map(fill)) };
}

function fill([name, { type, enum: choices, oneOf }]: [string, JsonObject]): [string, unknown] {
  if (Array.isArray(choices)) return [name, choices[0] as unknown];
  if (Array.isArray(oneOf)) return [name, (oneOf as readonly JsonObject[])[0]?.['const']];
  return [name, type === 'boolean' ? true : type === 'number' || type === 'integer' ? 1 : `my ${name}`];
}
