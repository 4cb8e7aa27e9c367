import { vi } from 'vitest';
import { isObject, type JsonObject } from '../../../src/base/json.js';
import { agree, type ForeignClient, type ForeignClientKind, type ServerAddress } from './foreign-client.js';
import { listOf, toComparable, toComparableQuestion, toSortedJson } from './comparable.js';
import type { Upstream } from './upstreams.js';

/** A request, what the client was asked meanwhile, and what it was told. */
export interface Exchange {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly questions: readonly JsonObject[];
  readonly answer: JsonObject;
}

export interface ConversationOptions extends Pick<Upstream, 'requests' | 'varying'> {
  readonly address: ServerAddress;
  /** What `$FOLDER` stands for. */
  readonly folder: string;
  /** What is before the names of tools and prompts at this address. */
  readonly prefix: string;
}

/** Asks everything, one after the other. */
export async function converse(
  kind: ForeignClientKind,
  { address, folder, requests, prefix, varying = [] }: ConversationOptions,
): Promise<readonly Exchange[]> {
  const asked: JsonObject[] = [];
  await using client = await kind.open(address, (method, params) => {
    // A server may ask for the roots at any time.
    if (method !== 'roots/list') asked.push(toComparableQuestion(method, params));
    return agree(method, params);
  });
  await listed(client);
  const exchanges: Exchange[] = [];
  for (const [method, params] of requests) {
    const sent = JSON.parse(JSON.stringify(params ?? {}).replaceAll('$FOLDER', folder)) as JsonObject;
    const answer = toComparable(method, await client.request(method, withPrefix(sent, prefix)));
    let text = JSON.stringify({ questions: asked.splice(0), answer }).replaceAll(folder, '$FOLDER');
    for (const [part, stand] of varying) text = text.replaceAll(part, stand);
    exchanges.push({ method, params, ...(JSON.parse(text) as Pick<Exchange, 'questions' | 'answer'>) });
  }
  return exchanges;
}

/** A server that takes longer to start than a gateway waits has no tools at first. */
async function listed(client: ForeignClient): Promise<void> {
  await vi.waitUntil(
    async () => {
      const answer = await client.request('tools/list');
      return 'error' in answer || (answer.result['tools'] as readonly JsonObject[]).length > 0;
    },
    { timeout: START_LIMIT, interval: 100 },
  );
}

const START_LIMIT = 300_000; // guards against a hang

/** With the name that a tool or prompt has at an address of several servers. */
function withPrefix(params: JsonObject, prefix: string): JsonObject {
  const { name, ref } = params;
  return {
    ...params,
    ...(typeof name === 'string' && { name: `${prefix}${name}` }),
    ...(isObject(ref) && ref['type'] === 'ref/prompt' && { ref: { ...ref, name: `${prefix}${String(ref['name'])}` } }),
  };
}

/** A line for each request. */
export function toLines(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.map(({ method, params, questions, answer }) => {
    const text = method in listOf ? toSortedJson(answer) : JSON.stringify(answer);
    return [method, JSON.stringify(params), ...questions.map((one) => toSortedJson(one)), text].join(' ');
  });
}
