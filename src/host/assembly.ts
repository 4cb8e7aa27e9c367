import { HostError } from '../base/errors.js';
import { definitionHash } from '../guard/definition-hash.js';
import type { Connection } from '../connection/connection.js';
import type { Tool } from '../model/tool.js';
import type { BuiltInTool } from '../tools/built-in.js';
import { callByName } from '../tools/call-by-name.js';
import { listResources as listResourcesTool } from '../tools/list-resources.js';
import { readTool } from '../tools/read.js';
import { readResource as readResourceTool } from '../tools/read-resource.js';
import type { ServerTool } from '../tools/server-tool.js';
import type { ToolList } from '../tools/tool-list.js';
import { toLocalTool } from '../tools/local-tool.js';
import { toolSearch } from '../tools/tool-search.js';
import type { Narrowing } from '../model/permissions/narrowing.js';
import { modeFor } from '../model/permissions/settings.js';
import { deniedServer, deniesNothing, isHeardOf, isKept } from '../model/permissions/decide.js';
import type { Decision } from '../model/permissions/decision.js';
import type { ResourceAnswer } from '../connection/read-resource.js';
import { type Answered, unanswered } from './answered.js';
import { authenticate } from './authenticate.js';
import { Calls, ServerCalls } from './calls.js';
import { toDrift } from './drift.js';
import { entryHashOf, Foresight } from './foresight.js';
import type { Fleet } from './fleet.js';
import type { HostOptions } from './host-options.js';
import { listResources, type ResourceRequest } from './host-resources.js';
import { readAsCall, toReader, toUnread } from './resource-reads.js';
import { ServerActs } from './server-acts.js';
import type { Keepers } from './keepers.js';
import { ModelViews } from './model-views.js';
import { type OfferParts, toServerRefusal } from './offer-parts.js';
import { judgePrompt } from './pinned-prompts.js';
import { PinWatch } from './pin-watch.js';
import type { Step, ToolCall } from './pipeline.js';
import { readRoots } from './read-roots.js';
import { Registry } from './registry.js';
import { samplingPermit, samplingSubject } from './sampling-permission.js';
import { deadlineStep } from './steps/deadline.js';
import { elicitationStep } from './steps/elicitation.js';
import { hooksStep } from './steps/hooks.js';
import { inputStep } from './steps/input.js';
import { ledgerStep, unknownLine } from './steps/ledger.js';
import { narrowStep } from './steps/narrow.js';
import { nullsStep } from './steps/nulls.js';
import { type PermissionStepOptions, permissionStep } from './steps/permission.js';
import { pinStep } from './steps/pins.js';
import { prepareStep } from './steps/prepare.js';
import { policyStep } from './steps/policy.js';
import { type ShapeSettings, shapeStep } from './steps/shape.js';
import { Subjects } from './subjects.js';
import { ToolFinder } from './tool-finder.js';
import { ToolLists } from './tool-lists.js';
import { untilSaid as untilToolsSaid } from './until-told.js';
import { outputTokens } from './variables.js';

/** What a host is made of, besides its servers. */
export interface Assembly {
  readonly registry: Registry;
  readonly calls: Calls;
  readonly finder: ToolFinder;
  readonly views: ModelViews;
  readonly pins: PinWatch;
  readonly subjects: Subjects;
  readonly foresight: Foresight;
  readonly offers: OfferParts;
  /** Reads a resource as a call of its server. Never rejects. */
  readonly readResource: (request: ResourceRequest) => Promise<Answered<ResourceAnswer>>;
  /** What a model can take of a result, and where the rest goes. */
  readonly shaping: ShapeSettings;
}

export interface AssemblyOptions extends Pick<HostOptions, 'unprefixed' | 'tools'> {
  /** What a fork may use; everything where there is none. */
  readonly within: readonly Narrowing[];
}

/** Puts the parts of a host together: here it can be seen what a call passes through, and in which order. */
export function assemble(fleet: Fleet, keepers: Keepers, options: AssemblyOptions): Assembly {
  const { clock } = fleet.ports;
  const { guard, pins: lock, ledger, results, images } = keepers;
  const accountOf = (server: string | undefined): string | undefined =>
    server === undefined ? undefined : fleet.definition(server)?.accountOf;
  const denied = (server: string): Decision | undefined => deniedServer(server, guard.settings, accountOf(server));
  const isOpen = ({ name }: Connection): boolean => denied(name) === undefined;
  const offers: OfferParts = {
    connections: () => fleet.connections().filter(isOpen),
    denied: (server) => toServerRefusal(server, denied(server)),
    judgePrompt: (connection, prompt, wait) => judgePrompt(pins, connection, prompt, wait),
    spill: fleet.dock.spill,
    isConnector: (server) => fleet.definition(server)?.scope === 'connectors',
  };
  const subjects = new Subjects(fleet, (server, tool) => pins.isUnpinned(server, tool));
  const servers = new ServerCalls(fleet);
  const lists = new ToolLists({
    canSignIn: (server) => fleet.connection(server)?.server.credentials?.canSignIn === true,
    wantsMore: (server) => fleet.identities.wantsMore(fleet.definition(server)),
  });
  const readerParts = { fleet, offers, isDenied: (server: string) => !isReadable(server) };
  const acts = new ServerActs({
    connections: () => fleet.connections(),
    names: () => subjects.names,
    isConnector: offers.isConnector,
    toReader: (server, name) => toReader(readerParts, { server, name }),
  });
  const local = (options.tools ?? []).map(toLocalTool);
  const builtIns = withLocal(
    makeBuiltIns(fleet, offers, {
      finder: () => finder,
      results: () => results?.folder,
      count: () => views.count,
      readable: () => fleet.connections().filter(({ name }) => isReadable(name)),
    }),
    local,
  );
  const registry: Registry = new Registry({
    fleet,
    builtIns,
    local,
    unprefixed: options.unprefixed ?? [],
    acts,
    listOf: (connection) => lists.of(connection),
    isOurs: (server, tool) => lists.isOurs(fleet.connection(server), tool),
    call: (server, placed, context) =>
      lists.isOurs(fleet.connection(server), placed.tool)
        ? authenticate(fleet, server, context)
        : servers.call(server, placed, context),
  });
  // Whoever may read nothing of a server is not told what there is.
  const isReadable = (server: string): boolean => {
    const reader = acts.readerOf(server);
    return !reader || isKept(guard.explain(subjects.of(reader)));
  };
  // Ten thousand tools are looked at before a model is shown the first of them, and mostly nothing is denied.
  const isPermitted = (tool: Tool): boolean =>
    isWithin(tool) && (deniesNothing(guard.settings) || isHeardOf(subjects.of(tool), guard.settings));
  const isWithin = (tool: Tool): boolean => options.within.every((narrowing) => narrowing.admits(subjects.of(tool)));
  const isShown = (tool: ServerTool): boolean =>
    !tool.marks.isHidden && pins.asideReason(tool.server, tool.tool) === undefined && isPermitted(tool);
  const listOf = (server: string): ToolList | undefined => {
    const connection = fleet.connection(server);
    return connection && lists.of(connection);
  };
  const finder = new ToolFinder({ clock, tools: () => registry.serverTools, listOf, isShown });
  const views = new ModelViews({
    connections: () => fleet.connections().filter(isOpen),
    listOf: (connection) => lists.of(connection),
    tools: () => registry.serverTools,
    onTold: (tools) => registry.hold(tools),
    builtIns: () => builtIns.filter(isPermitted).map((tool) => tool.known),
    isShown,
    keysOf: (server) => [listOf(server)?.toolColumns, guard.settings, pins.verdict(server)],
    isReadable,
    isWithheld: (server) => pins.isWithheld(server),
    toolSearch: () => fleet.loaded.settings.toolSearch,
  });
  const pins = new PinWatch(fleet, lock, () => fleet.retell());
  const forget = (): void => {
    subjects.clear();
    guard.forget();
    acts.clear();
    registry.clear();
    views.clear();
  };
  fleet.onTools = forget;
  fleet.driftOf = (server) => {
    const drift = pins.drift(server);
    return drift && toDrift(drift);
  };
  fleet.onQuestion = (question, signal) => keepers.elicitor.ask(question, signal);
  fleet.onNotification = (server, method, params) => keepers.elicitor.hear(server, method, params);
  fleet.onSampling = (server, request, signal) => {
    const names = [...subjects.names];
    const isConnector = offers.isConnector(server);
    const permit = samplingPermit({
      guard,
      subject: () => {
        const [entry, rivals] = [fleet.definition(server), subjects.rivalsOf(server)];
        return samplingSubject({ server, entry, servers: names, isConnector, rivals });
      },
      serverHash: () => fleet.connection(server)?.server.hash,
    });
    return permit(request, signal);
  };
  fleet.on('config', forget);
  const shaping: ShapeSettings = { tokenLimit: outputTokens(fleet.loaded.context.env), store: results, images };
  const untilSaid = async (
    { context: { timeoutMs, signal } }: Pick<ToolCall, 'context'>,
    server: string,
  ): Promise<HostError | undefined> => {
    const connection = fleet.connection(server);
    const wait = { kind: 'tools', clock, timeoutMs: timeoutMs ?? calls.timeoutOf(server), signal } as const;
    return connection && untilToolsSaid(connection, wait);
  };
  const hasTwin = (server: string | undefined): boolean =>
    server !== undefined && fleet.definition(server)?.twins !== undefined;
  const hashOf = async (
    call: Pick<ToolCall, 'tool' | 'context'>,
    as: 'known' | 'said',
  ): Promise<string | undefined> => {
    const { tool } = call;
    // One that does not come is not called either.
    if (as === 'said' && tool.server !== undefined) await untilSaid(call, tool.server);
    const definition = await tool.definition();
    return definition && definitionHash({ ...definition, name: tool.tool });
  };
  const pinOf = (call: Pick<ToolCall, 'tool' | 'context'>): ReturnType<PermissionStepOptions['pinOf']> => {
    const { server } = call.tool;
    if (server === undefined) return {};
    return {
      serverHash: fleet.connection(server)?.server.hash,
      entryHash: () => entryHashOf(fleet, server),
      ...(call.tool.act === undefined && { definitionHash: (as) => hashOf(call, as) }),
    };
  };
  const check: Parameters<typeof nullsStep>[0] = (schema, value) =>
    fleet.dock.checkNow(schema, value) ?? fleet.dock.check(schema, value);
  const steps: readonly Step[] = [
    ledgerStep(ledger, clock),
    narrowStep(isWithin),
    policyStep((server) => calls.barred(server)),
    pinStep({ pins }),
    nullsStep(check),
    prepareStep,
    hooksStep({
      hooks: () => keepers.hooks(),
      clock,
      isDenied: (call) => guard.explain(subjects.ofCall(call)).behavior === 'deny',
      accountOf: ({ server }) => accountOf(server),
      about: ({ server }) => ({
        source: server === undefined ? undefined : fleet.definition(server)?.scope,
        mode:
          modeFor(guard.settings, { server, hasTwin: hasTwin(server), accountOf: accountOf(server) })?.mode ??
          'default',
      }),
    }),
    permissionStep({
      guard,
      clock,
      subjectOf: (call) => subjects.ofCall(call),
      pinOf,
    }),
    // What was looked at before may be what is remembered of it, or be exchanged while somebody was asked.
    pinStep({ pins, untilSaid }),
    shapeStep(shaping),
    inputStep(check, (tool) => tool.server === undefined && !local.some(({ name }) => name === tool.name)),
    elicitationStep(
      (question, signal) => keepers.elicitor.ask(question, signal),
      (server) => fleet.pageOrigin(server),
    ),
    deadlineStep((server) => calls.timeoutOf(server)),
  ];
  const calls: Calls = new Calls({
    fleet,
    registry,
    readerOf: (server) => acts.readerOf(server),
    steps,
    isGone: (name) => views.ownerOf(name),
    isShown,
    isPermitted,
    onUnknown: unknownLine(ledger),
  });
  const readResource: Assembly['readResource'] = (request) =>
    readAsCall({ ...readerParts, acts, call: (tool, asked) => calls.callTool(tool, asked) }, request);
  const foresight = new Foresight({ fleet, guard, pins, subjects, pinOf, untilSaid });
  return { registry, calls, finder, views, pins, subjects, foresight, offers, readResource, shaping };
}

/** Those of the program come last. Two of one name could not be told apart. */
function withLocal(builtIns: readonly BuiltInTool[], local: readonly BuiltInTool[]): readonly BuiltInTool[] {
  const all = [...builtIns, ...local];
  const twice = all.find(({ name }, at) => all.findIndex((one) => one.name === name) !== at);
  if (!twice) return all;
  throw new HostError('usage', `There are two tools "${twice.name}"`, {
    hint: 'Give the tool of your program another name',
  });
}

interface BuiltInParts {
  readonly finder: () => ToolFinder;
  readonly results: () => string | undefined;
  readonly count: () => number;
  /** The servers whose resources a model may know of. */
  readonly readable: () => readonly Connection[];
}

/** In the order in which models are shown them. */
function makeBuiltIns(
  fleet: Fleet,
  offers: OfferParts,
  { finder, results, count, readable }: BuiltInParts,
): readonly BuiltInTool[] {
  const { places } = fleet.loaded.context;
  const own = [places.config, places.state, places.cache, places.runtime].filter((folder) => folder !== undefined);
  return [
    readTool({
      roots: () => readRoots(fleet.loaded.context, results()),
      closed: { folders: own, but: results() },
      tokenLimit: outputTokens(fleet.loaded.context.env),
    }),
    listResourcesTool({ list: (question) => listResources({ ...offers, connections: readable }, question) }),
    // What there is to read is read by the server's own reader, which is decided about: see ServerActs.
    readResourceTool({ read: async ({ server }) => unanswered(toUnread(offers, server)) }),
    toolSearch({
      search: (query, limit) => finder().search(query, limit),
      definitions: (names) => finder().definitions(names),
      count,
    }),
    callByName(),
  ];
}
