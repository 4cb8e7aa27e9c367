import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { nearest } from '../base/nearest.js';
import { unreachable } from '../base/never.js';
import { shorten } from '../base/shorten.js';
import type { RetriedOutcome } from '../connection/call-with-retries.js';
import type { Connection } from '../connection/connect.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import { toUnavailableError } from '../connection/unavailable.js';
import {
  checkUri,
  readResource,
  type ResourceAnswer,
  type ResourceContent,
} from '../connection/requests/read-resource.js';
import type { ServerResourceDefinition, ServerTemplateDefinition } from '../connection/catalog/resource-definition.js';
import { canWatch, type ResourceWatch } from '../connection/requests/resource-watch.js';
import type { LaneUse } from '../lanes/lane.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { ToolDefinition } from '../model/tool.js';
import { expandTemplate, missingVariables, templateVariables } from '../model/urls/uri-template.js';
import { TimeSlice } from '../edge/time-slice.js';
import { textOf } from '../tools/act-tools.js';
import { resourceBlocks } from '../tools/read-resource.js';
import { type Answered, type AskOptions, type TypedOptions, unanswered } from './answered.js';
import {
  ASK_MS,
  readFromServer,
  findRunning,
  type ServerAccess,
  type ServerAskOptions,
  spillFor,
  waitForKnownCatalog,
} from './servers/server-access.js';
import { type DefinitionOptions, serverDefinitionOf } from './read-definition.js';
import type { RequestParts } from './servers/server-requests.js';
import type { Server } from './servers/server.js';
import { hasLane, heldLaneOf, unasked } from './servers/server-line.js';
import { waitForCatalogsOf } from './calls/wait-for-catalog.js';

/** A resource and its server. */
export interface HostResource extends ServerResourceDefinition, Pick<ToolDefinition, 'serverDefinition'> {
  /** The name of the server that offers it. */
  readonly server: string;
}

/** A template of resources and its server. */
export interface HostTemplate extends ServerTemplateDefinition, Pick<ToolDefinition, 'serverDefinition'> {
  /** The name of the server that offers it. */
  readonly server: string;
  /** The names of the template's variables. */
  readonly variables: readonly string[];
}

/** The known resources and templates. */
export interface ListedResources {
  /** In the order of their servers. */
  readonly resources: readonly HostResource[];
  /** In the order of their servers. */
  readonly templates: readonly HostTemplate[];
  /** Servers whose lists are missing or may be incomplete, and why. */
  readonly notes: readonly string[];
}

/** The resource to read. */
export interface ResourceRequest extends TypedOptions {
  /** The name of a configured server; it is started if need be. */
  readonly server: string;
  /** As the server lists it, or made from one of its templates. */
  readonly uri: string;
  /** Values for the variables of `uri`, which is a template then. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** Returns texts as the server wrote them; otherwise they are cleaned for people and models. */
  readonly isExact?: boolean | undefined;
}

/** Which resources to list. */
export interface ResourceListRequest extends AskOptions, DefinitionOptions {
  /** Only those of this server. */
  readonly server?: string | undefined;
  /** At most so many resources, and so many templates. */
  readonly limit?: number;
}

/** The known resources and templates of all servers, or of one that is started and waited for; `limit` of each. */
export async function listHostResources(
  parts: ServerAccess,
  { server, limit = Infinity, ...options }: ResourceListRequest,
): Promise<Answered<ListedResources>> {
  const found = server === undefined ? undefined : findRunning(parts, server);
  if (found instanceof HostError) return unanswered(found);
  const late = found && ((await waitForKnownCatalog(found, options)) ?? absenceOf(found));
  if (late && found.catalog.source === 'none') return unanswered(late);
  const running = found ? [found] : parts.runningServers().filter(({ status }) => status.kind !== 'disabled');
  const resources: HostResource[] = [];
  const templates: HostTemplate[] = [];
  const notes: string[] = [];
  const turns = new TimeSlice();
  for (const lifecycle of running) {
    const { name, catalog } = lifecycle;
    catalog.refreshStale();
    const note = noteOf(lifecycle);
    if (note !== undefined) notes.push(note);
    for (const { uri } of catalog.resources.slice(0, Math.max(limit - resources.length, 0))) {
      await turns.pause();
      const resource = await catalog.resource(uri);
      const own = await serverDefinitionOf(catalog, { kind: 'resources', name: uri }, options);
      if (resource) resources.push({ server: name, ...resource, ...own });
    }
    for (const { uri } of catalog.templates.slice(0, Math.max(limit - templates.length, 0))) {
      await turns.pause();
      const template = await catalog.template(uri);
      const own = await serverDefinitionOf(catalog, { kind: 'templates', name: uri }, options);
      if (template) templates.push({ server: name, ...template, variables: templateVariables(uri), ...own });
    }
  }
  return { ok: true, resources, templates, notes };
}

/** Reads a resource, for callers that want its parts and not a tool result. Never rejects. */
export async function readHostResource(
  parts: RequestParts,
  { server, uri: address, values, isExact, ...options }: ResourceRequest,
): Promise<Answered<ResourceAnswer>> {
  const missing = values ? missingVariables(address, values) : [];
  if (missing.length > 0) {
    const found = findRunning(parts, server);
    return unanswered(found instanceof HostError ? found : unfilled(address, missing));
  }
  const uri = values ? expandTemplate(address, values) : address;
  return parts.send({
    ...options,
    act: 'resources',
    server,
    input: { uri },
    errorNamesCall: true,
    respond: (running, input, context) =>
      fetchResource(running, { uri: textOf(input['uri']), isExact, spill: spillFor(parts, context) }, context),
    blocksOf: (answer) => resourceBlocks(server, answer),
    applyHooks: (answer, { isWhole, others, notes }) => ({
      contents: [...(isWhole ? answer.contents : []), ...others.map((block) => toContent(block, uri))],
      notes: [...answer.notes, ...notes],
    }),
  });
}

/** Reads a resource without deciding whether that is permitted: the caller has. Never rejects. */
export async function fetchResource(
  server: Server,
  { uri, isExact, spill }: Pick<ResourceRequest, 'uri' | 'isExact'> & Pick<ServerAccess, 'spill'>,
  options: ServerAskOptions,
): Promise<RetriedOutcome<ResourceAnswer>> {
  const read = await readFromServer(
    server,
    (connection, left) => readResource(connection, uri, { ...left, spill, isExact }),
    options,
  );
  if (read.outcome === 'ok' || read.error.code !== 'unknown-resource') return read;
  // The hint names a similar resource, so lists that are on their way are waited for.
  const { clock, catalog } = server;
  if (catalog.isFetching('resources') || catalog.isFetching('templates'))
    await waitForCatalogsOf([server], { clock, timeoutMs: NEAR_MS, signal: options.signal });
  return { ...read, error: withNear(read.error, server, uri) };
}

/** The resource to watch. */
export interface WatchRequest extends TypedOptions {
  /** The name of a configured server; it is started if need be. */
  readonly server: string;
  /** As the server lists it, or made from one of its templates. */
  readonly uri: string;
}

/** Called when a watched resource has changed. */
export type WatchListener = (change: { readonly server: string; readonly uri: string }) => void;
/** A watch that has begun, or why it has not. */
export type Watching = Promise<Answered<{ readonly watch: AsyncDisposable }>>;

/**
 * Watches a resource until it is disposed of: the listener is called when the resource has changed, or may have while
 * the server was disconnected. Never rejects.
 */
export async function watchResource(
  parts: RequestParts,
  { server, uri, ...options }: WatchRequest,
  listener: WatchListener,
): Watching {
  let watch: AsyncDisposable | undefined;
  const begin = async (connection: Connection, on: ResourceWatch, address: string): Promise<void> => {
    checkUri(address, server);
    if (!canWatch(connection)) {
      throw new HostError('unsupported', `Server "${server}" does not tell when a resource changes`, {
        hint: 'Read it again from time to time',
      });
    }
    watch = await on.watch(address, (changed) => listener({ server, uri: changed }));
  };
  const answered = await parts.send({
    ...options,
    // It tells that something has changed, and brings no text.
    isUnread: true,
    act: 'resources',
    server,
    input: { uri },
    respond: async (running, input, context) => {
      const carried = await watchOnLine(
        running,
        (connection, on) => begin(connection, on, textOf(input['uri'])),
        context,
      );
      return carried.outcome === 'ok' ? { ...carried, result: { watch: endingWith(watch!, carried.result) } } : carried;
    },
  });
  // A hook may have refused the result after the watch began.
  if (!answered.ok) await watch?.[Symbol.asyncDispose]();
  return answered;
}

/** Begins a watch on the caller's line. The result keeps that line open until it is disposed of. */
async function watchOnLine(
  server: Server,
  begin: (connection: Connection, on: ResourceWatch) => Promise<void>,
  context: ServerAskOptions,
): Promise<RetriedOutcome<Partial<Disposable>>> {
  const { caller, signal, timeoutMs = ASK_MS } = context;
  let use: LaneUse | undefined;
  try {
    use = caller && hasLane(caller) ? await heldLaneOf(server, caller, { signal, timeoutMs }) : undefined;
    const { watch } = (use?.lane.line ?? server).catalog;
    const carried = await readFromServer(server, (connection) => begin(connection, watch), context);
    if (carried.outcome === 'ok') return { ...carried, result: use ?? {} };
    use?.[Symbol.dispose]();
    return carried;
  } catch (cause) {
    use?.[Symbol.dispose]();
    return unasked(server, cause);
  }
}

function endingWith(watch: AsyncDisposable, line: Partial<Disposable>): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      try {
        await watch[Symbol.asyncDispose]();
      } finally {
        line[Symbol.dispose]?.();
      }
    },
  };
}

/** Names of all servers known to have resources: for the model, and to decide whether it needs the resource tools. */
export function resourceServers(running: readonly ServerLifecycle[]): readonly string[] {
  return running
    .filter(({ status, catalog }) => status.kind !== 'disabled' && isObject(catalog.capabilities?.['resources']))
    .map(({ name }) => name);
}

function absenceOf({ name, status }: ServerLifecycle): HostError | undefined {
  return status.kind === 'disabled' || status.kind === 'failed' || status.kind === 'needs-auth'
    ? toUnavailableError(name, status)
    : undefined;
}

export function unfilled(template: string, missing: readonly string[]): HostError {
  return new HostError('bad-input', `"${shorten(template, 300)}" needs ${missing.join(', ')}`, {
    hint: `Give a value for ${missing.map((name) => `${name}=...`).join(' ')}`,
  });
}

function toContent(block: ContentBlock, uri: string): ResourceContent {
  const { text } = block;
  return typeof text === 'string'
    ? { uri, mimeType: 'text/plain', text }
    : { uri, mimeType: 'application/json', text: JSON.stringify(block) };
}

/** Why a server may have more resources than are known. */
function noteOf(lifecycle: ServerLifecycle): string | undefined {
  const { name, status, catalog, listProblems } = lifecycle;
  if (catalog.source !== 'none') {
    const problem = listProblems.get('resources') ?? listProblems.get('templates');
    return problem && `What "${name}" has could not be read: ${problem.message}`;
  }
  switch (status.kind) {
    case 'idle':
      return `"${name}" has not been started yet: ask for it by its name`;
    case 'pending':
    case 'reconnecting':
    case 'connected':
      return `"${name}" is still being connected`;
    case 'failed':
    case 'needs-auth':
      return `"${name}" cannot be asked: ${status.error.message}`;
    case 'disabled':
      return undefined;
    default:
      return unreachable(status);
  }
}

/** Compares the ends of URIs: those of one server begin alike. */
function withNear(error: HostError, { catalog }: ServerLifecycle, uri: string): HostError {
  const known = new Map(catalog.resources.slice(0, NEAR_LIMIT).map((one) => [one.uri.slice(-TAIL), one.uri]));
  const [close] = nearest(uri.slice(-TAIL), known.keys());
  const [template] = catalog.templates;
  const hint =
    close !== undefined
      ? `Did you mean ${known.get(close)}?`
      : template && `It has templates, such as ${template.uri}: fill in the blanks`;
  if (hint === undefined) return error;
  const { code, message, detail } = error;
  return new HostError(code, message, { hint, detail, cause: error });
}

const NEAR_MS = 2_000;
const TAIL = 64;
const NEAR_LIMIT = 2_000; // the edit distance to each is computed
