import { isObject, type JsonObject } from '../../base/json.js';
import { taskFields } from '../../connection/requests/task.js';
import type { CallResult } from '../../host/host-options.js';
import type { ServerTool } from '../../host/servers/server-tool.js';
import type { ToolResult } from '../../model/tool.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from './call-parts.js';
import { LANE, objectParam, OUTCOME, textParam, toServerFailure } from './failures.js';
import { nameAskerInError } from './named-questions.js';
import { withoutRelatedTask } from '../tasks/task-forms.js';
import { withoutOurs } from './own-words.js';
import { pagesOf, showsPages, toPagesText, visitPages } from './required-pages.js';
import { askerOf } from './permits.js';
import { relayedQuestions } from './relayed-questions.js';
import { servedProgress } from './served-progress.js';
import { unlistedTool } from './unlisted-tool.js';
import { UrlVisits } from './url-visits.js';

/** tools/call: through every step of a call of the host, and the server's own result back. */
export function callForClient(parts: CallParts, request: ClientRequest): Promise<JsonObject> {
  const { params } = request;
  const name = textParam(params, 'name');
  const tool = parts.tables.tools.lookup(name);
  const input = objectParam(params, 'arguments');
  return tool ? callKnown(parts, { request, tool, name, input }) : callLater(parts, { request, name, input });
}

/** A tool that is not known may be one of a server that has never listed anything. */
async function callLater(parts: CallParts, { request, name, input }: Omit<NamedCall, 'tool'>): Promise<JsonObject> {
  await parts.arrivals.known(parts.offering.servers());
  const tool = parts.tables.tools.lookup(name);
  if (!tool) throw unlistedTool(parts.offering, name);
  return callKnown(parts, { request, tool, name, input });
}

export interface NamedCall {
  readonly request: ClientRequest;
  readonly tool: ServerTool;
  /** The name that the client knows. */
  readonly name: string;
  readonly input: JsonObject;
}

export async function callKnown(parts: CallParts, call: NamedCall): Promise<JsonObject> {
  const { offering, clock } = parts;
  const { request, tool, name, input } = call;
  const task = parts.tasks.begin(request, tool);
  const asking = task?.request ?? request;
  const visits = new UrlVisits(asking, clock);
  const caller = parts.callers.call(asking, visits);
  const { client, inputs, relays, signal, logLevel, params } = request;
  const asked = {
    name: tool.name,
    input,
    caller,
    conversation: client.owner,
    signal,
    onProgress: servedProgress(request, parts.clean()),
    logLevel,
    meta: metaOf(params),
    relay: relays ? (inputs ?? {}) : undefined,
    task: task?.terms,
    ask: askerOf(request, name, parts.askSetting()),
    shape: 'raw',
    keepServerResult: true,
    isTyped: false,
    isExact: true,
    isInMemory: true,
  } as const;
  try {
    let result = await offering.host.call(asked);
    for (let round = 0; round < ROUNDS; round++) {
      const error = nameAskerInError(result.serverResult?.error, tool.server, offering);
      const pages = pagesOf(error, { server: tool.server, clean: parts.clean() });
      if (!pages || !(await visitPages(request, pages))) break;
      result = await offering.host.call(asked);
    }
    const handle = task && result.serverResult?.result;
    const fields = handle && taskFields(handle);
    if (fields) return withLane(parts.tasks.adopt(task, { tool, input, caller, fields }), result);
    return toResult(parts, call, result);
  } finally {
    visits.ended();
  }
}

/** What a client says beside the parameters, such as `traceparent`; not what concerns the line to the gateway. */
export function metaOf({ _meta: meta }: JsonObject): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  const { progressToken: _, ...rest } = meta;
  return rest;
}

function toResult(parts: CallParts, { request, tool }: NamedCall, result: CallResult): JsonObject {
  const { serverResult, changedByHook, outcome } = result;
  const clean = parts.clean();
  if (changedByHook !== true && serverResult?.error) {
    const { server } = tool;
    const error = nameAskerInError(serverResult.error, server, parts.offering);
    const pages = pagesOf(error, { server, clean });
    if (!pages || showsPages(request.client)) {
      throw toServerFailure(parts.callers.withOwnPages(request.client, server, error), { server, clean });
    }
    return { ...toPagesText(server, pages), _meta: { [OUTCOME]: 'error' } };
  }
  const own = changedByHook === true || isUnusable(result) ? undefined : serverResult?.result;
  if (own?.['resultType'] === 'input_required') {
    return relayedQuestions(own, { server: tool.server, offering: parts.offering, clean });
  }
  // A task that was waited for here is none of the client's.
  const answer = own ? parts.uris(tool.server).inContent(clean(withoutRelatedTask(own))) : toHostResult(result);
  const meta = isObject(answer['_meta']) ? withoutOurs(answer['_meta']) : undefined;
  const lane = 'isNewLane' in result && result.isNewLane === true ? { [LANE]: 'new' } : undefined;
  return { ...answer, _meta: { ...meta, ...lane, [OUTCOME]: outcome } };
}

/** The handle of a task, whose outcome is not known yet. */
function withLane(handle: JsonObject, { isNewLane }: CallResult): JsonObject {
  const { _meta: meta } = handle;
  return isNewLane ? { ...handle, _meta: { ...(isObject(meta) && meta), [LANE]: 'new' } } : handle;
}

/** Whether the server's result cannot be passed on: it is no result of a tool. */
function isUnusable({ serverResult }: CallResult): boolean {
  const content = serverResult?.result?.['content'];
  return content !== undefined && !Array.isArray(content);
}

/** What became of a call without a result of its server, or whose result a hook has changed. */
export function toHostResult({ content, structuredContent, outcome, error, notes }: ToolResult): JsonObject {
  const more = error === undefined ? [] : notes.map((text) => ({ type: 'text', text }));
  return {
    content: [...content, ...more],
    ...(structuredContent !== undefined && { structuredContent }),
    isError: outcome !== 'ok',
  };
}

const ROUNDS = 3; // calls after visits of pages
