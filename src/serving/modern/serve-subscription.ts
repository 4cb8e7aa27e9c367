// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
import { isObject, type JsonObject } from '../../base/json.js';
import { SUBSCRIPTION_ID } from '../../wire/eras/envelope.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { RequestId } from '../../wire/message.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { EndpointChange, Client, Endpoint, WatchedChanges } from '../endpoint.js';
import type { RequestMessage } from '../incoming.js';
import { errorResponseText, notificationText, type Outlet, resultResponseText } from '../outgoing.js';

export interface ServeSubscriptionOptions {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly outlet: Outlet;
}

/** A `subscriptions/listen` that is being served. */
export interface Listening {
  /** The client has ended it. */
  gone(): void;
  /** This side ends it, by the result. */
  close(): void;
}

/** Serves one subscription: the acknowledgement first, then changes, each with the id that the client gave it. */
export function serveSubscription(
  { id, params }: RequestMessage,
  options: ServeSubscriptionOptions,
): Listening | undefined {
  const { client, endpoint, outlet } = options;
  const wanted = readFilter(params['notifications']);
  if (wanted instanceof JsonRpcFailure) {
    outlet.reply(errorResponseText(id, wanted));
    return undefined;
  }
  let isOver = false;
  // Changes that are noticed before the acknowledgement has been sent.
  let early: EndpointChange[] | undefined = [];
  const send = ({ method, params: told }: EndpointChange): void => {
    const meta = { ...(isObject(told['_meta']) && told['_meta']), [SUBSCRIPTION_ID]: id };
    outlet.send(notificationText(method, { ...told, _meta: meta }));
  };
  const watch = endpoint.watch(client, wanted, (change) => {
    if (isOver) return;
    // A server that does not answer, and tells of changes all the time: the lists are read again anyway.
    if (!early) send(change);
    else if (early.length < EARLY_LIMIT) early.push(change);
  });
  const acknowledge = async (): Promise<void> => {
    const honoured = await watch.honoured.catch(() => NOTHING);
    if (isOver) return;
    send({ method: 'notifications/subscriptions/acknowledged', params: { notifications: toFilter(honoured) } });
    const waiting = early ?? [];
    early = undefined;
    for (const change of waiting) send(change);
  };
  void acknowledge();
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    watch[Symbol.dispose]();
    return true;
  };
  return {
    gone: () => void end(),
    close: () => {
      if (end()) outlet.reply(endText(id));
    },
  };
}

function readFilter(filter: unknown): WatchedChanges | JsonRpcFailure {
  if (!isObject(filter)) return invalid('"notifications" has to be an object');
  const { resourceSubscriptions = [], taskIds = [] } = filter;
  if (!isTexts(resourceSubscriptions) || !isTexts(taskIds)) {
    return invalid(`"resourceSubscriptions" and "taskIds" have to be lists of at most ${COUNT_LIMIT} strings`);
  }
  if (lengthOf(resourceSubscriptions) + lengthOf(taskIds) > SIZE_LIMIT) {
    return invalid(`"resourceSubscriptions" and "taskIds" have more than ${SIZE_LIMIT} characters`);
  }
  return {
    tools: filter['toolsListChanged'] === true,
    prompts: filter['promptsListChanged'] === true,
    resources: filter['resourcesListChanged'] === true,
    uris: resourceSubscriptions,
    tasks: taskIds,
  };
}

function isTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > COUNT_LIMIT) return false;
  return value.every((one) => typeof one === 'string' && one.length <= TEXT_LIMIT);
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((length, text) => length + text.length, 0);
}

/** What the client did not ask for is left out, and so is what is not honoured. */
function toFilter({ tools, prompts, resources, uris, tasks }: WatchedChanges): JsonObject {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(tasks.length > 0 && { taskIds: tasks }),
  };
}

function endText(id: RequestId): string {
  return resultResponseText(id, JSON.stringify({ resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: id } }));
}

function invalid(why: string): JsonRpcFailure {
  return new JsonRpcFailure(INVALID_PARAMS, why);
}

const COUNT_LIMIT = 1_000;
const TEXT_LIMIT = 8_000; // characters
const SIZE_LIMIT = 256_000; // characters of all
const EARLY_LIMIT = 1_000;
const NOTHING: WatchedChanges = { tools: false, prompts: false, resources: false, uris: [], tasks: [] };
