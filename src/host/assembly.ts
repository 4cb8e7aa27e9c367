import { HostError } from '../base/errors.js';
import { RESOURCE_TOOLS } from '../model/view/model-view-block.js';
import type { SessionHooks } from '../model/hooks/session-hooks.js';
import { SKILL_TOOL } from '../model/view/skill-names.js';
import type { Narrowing } from '../model/permissions/narrowing.js';
import type { Tool } from '../model/tool.js';
import { builtInJsonSchemas } from '../tools/built-in-json-schemas.js';
import type { BuiltInTool } from '../tools/built-in.js';
import { callByName } from '../tools/call-by-name.js';
import { listResourcesTool } from '../tools/list-resources.js';
import { readFileTool } from '../tools/read.js';
import { readResourceTool } from '../tools/read-resource.js';
import { toLocalTool } from '../tools/local-tool.js';
import { skillTool } from '../tools/skill.js';
import { toolSearch } from '../tools/tool-search.js';
import { unanswered } from './answered.js';
import { CalledDefinitions } from './calls/called-definitions.js';
import { CallFlows } from './calls/call-flows.js';
import { recordCall, unknownLine } from './calls/call-record.js';
import { Calls } from './calls/calls.js';
import { Foresight } from './calls/foresight.js';
import { hookCalls } from './calls/hook-calls.js';
import { taskResults } from './calls/task-results.js';
import { permissionHooks } from './calls/permission-hooks.js';
import type { HostOptions } from './host-options.js';
import type { HostParts } from './host-parts.js';
import { listHostResources, resourceServers } from './host-resources.js';
import type { SkillParts } from './host-skills.js';
import { SkillCalls } from './calls/skill-calls.js';
import { ServerActs } from './calls/server-acts.js';
import { serverRequests, noReaderError } from './servers/server-requests.js';
import { KnownSkills } from './tools/known-skills.js';
import { ModelViews } from './tools/model-views.js';
import { type ServerAccess, toServerRefusal } from './servers/server-access.js';
import { PinWatch } from './calls/pin-watch.js';
import type { CallStep, ToolCall } from './calls/pipeline.js';
import { toResultLimits } from './configuration/result-limits.js';
import { readRoots } from './features/read-roots.js';
import type { Configuration } from './servers/configuration.js';
import type { Servers } from './servers/servers.js';
import { ToolNames } from './servers/tool-names.js';
import { afterVisits } from './steps/elicitation.js';
import { hooksStep } from './steps/hooks.js';
import { inputStep } from './steps/input.js';
import { narrowStep } from './steps/narrow.js';
import { nullsStep } from './steps/nulls.js';
import { permissionStep } from './steps/permission.js';
import { pinStep } from './steps/pins.js';
import { prepareStep } from './steps/prepare.js';
import { policyStep } from './steps/policy.js';
import { type ShapeSettings, shapeStep } from './steps/shape.js';
import { PermissionSubjects } from './calls/permission-subjects.js';
import { ToolFinder } from './tools/tool-finder.js';
import { outputTokens } from './configuration/environment-variables.js';
import { turnRecorder } from './tools/turn-recorder.js';
import { Visibility } from './tools/visibility.js';

/** The parts of a host that work with its servers. */
export interface Assembly {
  readonly names: ToolNames;
  /** Finds any tool by the name that a model knows it by: built-in, the embedder's, or a server's. */
  readonly lookup: (name: string) => Tool | undefined;
  /** Built-in tools that are usable with the current servers, and the embedder's own tools. */
  readonly builtIns: () => readonly BuiltInTool[];
  /** Every built-in tool and every tool of the embedder, usable now or not. */
  readonly allBuiltIns: readonly BuiltInTool[];
  readonly calls: Calls;
  readonly finder: ToolFinder;
  readonly views: ModelViews;
  readonly visibility: Visibility;
  readonly pins: PinWatch;
  readonly subjects: PermissionSubjects;
  readonly flows: CallFlows;
  readonly foresight: Foresight;
  /** Requests to servers other than tool calls: prompts, resources, skills, completions. */
  readonly requests: SkillParts;
  readonly sessionHooks: SessionHooks;
  /** Takes results of tasks that callers follow themselves through hooks and the flow guard. */
  readonly taskResults: ReturnType<typeof taskResults>;
  /** How results are fitted to a model: token limit, images, and the store for what is too large. */
  readonly shaping: ShapeSettings;
}

export interface AssemblyOptions extends Pick<HostOptions, 'unprefixed' | 'tools' | 'isCommandLine'> {
  /** The restrictions of a fork; empty: every tool may be used. */
  readonly within: readonly Narrowing[];
}

/** Creates the parts of a host in the order of their dependencies: each line uses only the parts above it. */
export function assemble(parts: HostParts, options: AssemblyOptions): Assembly {
  const { services, events, servers, callServices } = parts;
  const { configuration, connectionFactory, ports } = services;
  const { clock } = ports;
  const { guard, ledger, results, images } = callServices;
  const { within, unprefixed = [] } = options;
  servers.onTools(() => guard.forget());
  const pins = new PinWatch({ servers, configuration, events, pins: callServices.pins });
  const knownSkills = new KnownSkills();
  const subjects = new PermissionSubjects({ servers, pins, knownSkills });
  const visibility = new Visibility({ servers, guard, subjects, pins, within });
  const { isPermitted, isShown, mayBePermitted } = visibility;
  const offers: ServerAccess = {
    runningServers: visibility.servers,
    denied: (server) => toServerRefusal(server, visibility.denied(server)),
    spill: connectionFactory.spill,
    isConnector: (server) => servers.entry(server)?.scope === 'connectors',
  };
  const acts = new ServerActs({ servers, offers, isPermitted: mayBePermitted });
  const isWithheld = (server: string): boolean => pins.isWithheld(server);
  const skills = new SkillCalls({ servers, offers, acts, known: knownSkills, visibility, isWithheld });
  const local = (options.tools ?? []).map(toLocalTool);
  const ownNames = [...Object.keys(builtInJsonSchemas), ...local.map(({ name }) => name)];
  const names = new ToolNames({ servers, unprefixed, reserved: () => [...ownNames, ...acts.names] });
  const finder = new ToolFinder({ clock, servers, tools: () => names.tools, isShown });
  const views = new ModelViews({
    servers,
    openServers: visibility.servers,
    names,
    isShown,
    keysOf: (server) => [servers.get(server)?.toolList.toolColumns, guard.settings, pins.verdict(server)],
    isReadable: (server) => acts.isReadable(server),
    isWithheld,
    skillsOf: (server) => skills.shownOf(server),
    toolSearch: () => configuration.loaded.settings.toolSearch,
    toolBytes: () => configuration.loaded.settings.toolBytes,
    onTurn: turnRecorder(ledger, { isOfFork: servers.isFork, ownNameOf: (name) => names.get(name)?.tool }),
  });
  const builtIns = withLocal(
    makeBuiltIns({
      configuration,
      finder,
      views,
      results: results?.folder,
      offers,
      skills,
      readable: () => servers.all().filter(({ name }) => acts.isReadable(name)),
    }),
    local,
  );
  const builtInsByName = new Map(builtIns.map((tool) => [tool.name, tool]));
  const lookup = (name: string): Tool | undefined => builtInsByName.get(name) ?? names.get(name) ?? acts.lookup(name);
  const shaping: ShapeSettings = {
    tokenLimit: outputTokens(configuration.loaded.context.env),
    store: results,
    images,
  };
  const definitions = new CalledDefinitions({ servers, configuration, clock });
  const { guardDetailsOf, serverHashOf, waitForFreshList, promptOf } = definitions;
  const check: Parameters<typeof nullsStep>[0] = (schema, value) =>
    connectionFactory.checkNow(schema, value) ?? connectionFactory.check(schema, value);
  // Only a fork can be restricted to some tools.
  const narrow = within.length > 0 ? [narrowStep(visibility.isWithin)] : [];
  const policy = policyStep((server) => servers.get(server)?.barrier);
  const flows = new CallFlows({
    flow: callServices.flow,
    servers,
    canAsk: ports.ask !== undefined,
    cwd: configuration.loaded.context.cwd,
    results: results?.folder,
    agents: new Set((options.tools ?? []).filter(({ isAgent }) => isAgent === true).map(({ name }) => name)),
    remember: callServices.rememberFlows,
  });
  const permission = {
    guard,
    clock,
    subjectOf: (call: ToolCall) => subjects.ofCall(call),
    serverHashOf,
    guardDetailsOf,
  };
  const hooked = hookCalls(servers, guard);
  const hooking = {
    hooks: () => callServices.hooks(),
    clock,
    isDenied: (call: ToolCall) => guard.explain(subjects.ofCall(call)).behavior === 'deny',
    hookCalls: hooked,
  };
  // The first `pinStep` may use a cached definition, and the server may change it while the user is asked.
  const pinsOnceMore = pinStep({ pins, said: { waitForFreshList, promptOf } });
  const steps: readonly CallStep[] = [
    ...narrow,
    policy,
    pinStep({ pins }),
    nullsStep(check),
    prepareStep,
    hooksStep(hooking),
    permissionStep({
      ...permission,
      flows,
      hooks: permissionHooks({
        hooks: () => callServices.hooks(),
        foresee: (call) => guard.foresee(subjects.ofCall(call), guardDetailsOf(call)),
        hookCalls: hooked,
      }),
    }),
    pinsOnceMore,
    shapeStep(
      shaping,
      afterVisits(
        (question, signal) => callServices.elicitor.ask(question, signal),
        (server) => servers.get(server)?.pageOrigin,
      ),
    ),
    inputStep(check, (tool) => tool.server === undefined && !local.some(({ name }) => name === tool.name)),
  ];
  const usable = (): readonly BuiltInTool[] => usableBuiltIns(servers, { builtIns, local, skills });
  const calls = new Calls({
    clock,
    servers,
    lookup,
    readerOf: (server) => acts.readerOf(server),
    skillCall: (input) => skills.toCall(input),
    steps,
    completionSteps: [
      ...narrow,
      policy,
      hooksStep({ ...hooking, asksNobody: true }),
      permissionStep(permission),
      pinsOnceMore,
    ],
    listSteps: [...narrow, policy, permissionStep(permission)],
    formerOwnerOf: (name) => views.ownerOf(name),
    shownNames: () => [...names.tools.filter(isShown), ...usable()].map((tool) => tool.name),
    isPermitted,
    isCommandLine: options.isCommandLine === true,
    onUnknown: unknownLine(ledger),
    onEnd: (call, result, ms) => {
      flows.read(call, result);
      recordCall(ledger, call, result, ms);
    },
  });
  return {
    names,
    lookup,
    builtIns: usable,
    allBuiltIns: builtIns,
    calls,
    finder,
    views,
    visibility,
    pins,
    subjects,
    flows,
    foresight: new Foresight({ configuration, guard, pins, subjects, flows, guardDetailsOf, waitForFreshList }),
    requests: { ...serverRequests({ acts, offers, calls, isPermitted }), knownSkills },
    sessionHooks: callServices.sessionHooks,
    taskResults: taskResults({
      hooks: () => callServices.hooks(),
      hookCalls: hooked,
      flows,
      clock,
      tools: () => names.tools,
    }),
    shaping,
  };
}

/** Without a running server only the embedder's tools; without resources or skills no tool that reads them. */
function usableBuiltIns(
  servers: Servers,
  {
    builtIns,
    local,
    skills,
  }: Pick<BuiltInParts, 'skills'> & Readonly<Record<'builtIns' | 'local', readonly BuiltInTool[]>>,
): readonly BuiltInTool[] {
  const running = servers.all().filter(({ status }) => status.kind !== 'disabled');
  if (running.length === 0) return local;
  const hasResources = resourceServers(running).length > 0;
  const hasSkills = running.some((server) => skills.shownOf(server).length > 0);
  return builtIns.filter(
    ({ name }) => (hasResources || !RESOURCE_TOOLS.has(name)) && (hasSkills || name !== SKILL_TOOL),
  );
}

/** Appends the embedder's tools. Throws when two tools have one name, because a call could not tell them apart. */
function withLocal(builtIns: readonly BuiltInTool[], local: readonly BuiltInTool[]): readonly BuiltInTool[] {
  const all = [...builtIns, ...local];
  const twice = all.find(({ name }, at) => all.findIndex((one) => one.name === name) !== at);
  if (!twice) return all;
  throw new HostError('usage', `There are two tools "${twice.name}"`, {
    hint: 'Give the tool of your program another name',
  });
}

interface BuiltInParts {
  readonly configuration: Configuration;
  readonly finder: ToolFinder;
  readonly views: ModelViews;
  /** The folder of results that were too large for a model. */
  readonly results: string | undefined;
  readonly offers: ServerAccess;
  readonly skills: SkillCalls;
  /** The servers whose resources a model may see. */
  readonly readable: ServerAccess['runningServers'];
}

/** The built-in tools, in the order in which models are shown them. */
function makeBuiltIns(parts: BuiltInParts): readonly BuiltInTool[] {
  const { configuration, finder, views, results, offers, skills, readable } = parts;
  const { places, env } = configuration.loaded.context;
  const own = [places.config, places.state, places.cache, places.runtime].filter((folder) => folder !== undefined);
  return [
    readFileTool({
      roots: () => readRoots(configuration.loaded.context, results),
      closed: { folders: own, but: results },
      limits: () => toResultLimits(configuration.loaded.settings.results),
      tokenLimit: outputTokens(env),
    }),
    listResourcesTool({ list: (question) => listHostResources({ ...offers, runningServers: readable }, question) }),
    // `Calls` sends reads to the named server's reader (see `ServerActs`): only a call without one gets here.
    readResourceTool({ read: async ({ server }) => unanswered(noReaderError(offers, server)) }),
    // As with resources: only a call whose name means no skill gets here.
    skillTool({ refusalOf: (wanted) => skills.refusalOf(wanted) }),
    toolSearch({
      search: (query, limit) => finder.search(query, limit),
      definitions: (found) => finder.definitions(found),
      count: () => views.count,
    }),
    callByName(),
  ];
}
