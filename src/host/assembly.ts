import { definitionHash } from '../guard/definition-hash.js';
import type { Tool } from '../model/tool.js';
import type { BuiltInTool } from '../tools/built-in.js';
import { callByName } from '../tools/call-by-name.js';
import { listResources as listResourcesTool } from '../tools/list-resources.js';
import { readTool } from '../tools/read.js';
import { readResource as readResourceTool } from '../tools/read-resource.js';
import type { ServerTool } from '../tools/server-tool.js';
import { toolSearch } from '../tools/tool-search.js';
import { modeFor } from '../model/permissions/settings.js';
import { isHeardOf } from '../model/permissions/decide.js';
import { Calls, ServerCalls } from './calls.js';
import type { Fleet } from './fleet.js';
import type { HostOptions } from './host-options.js';
import { listResources, readHostResource } from './host-resources.js';
import type { Keepers } from './keepers.js';
import { ModelViews } from './model-views.js';
import type { OfferParts } from './offer-parts.js';
import { PinWatch } from './pin-watch.js';
import type { Step } from './pipeline.js';
import { Registry } from './registry.js';
import { deadlineStep } from './steps/deadline.js';
import { elicitationStep } from './steps/elicitation.js';
import { hooksStep } from './steps/hooks.js';
import { inputStep } from './steps/input.js';
import { ledgerStep, unknownLine } from './steps/ledger.js';
import { permissionStep } from './steps/permission.js';
import { pinStep } from './steps/pins.js';
import { policyStep } from './steps/policy.js';
import { type ShapeSettings, shapeStep } from './steps/shape.js';
import { Subjects } from './subjects.js';
import { ToolFinder } from './tool-finder.js';
import { outputTokens } from './variables.js';

/** What a host is made of, besides its servers. */
export interface Assembly {
  readonly registry: Registry;
  readonly calls: Calls;
  readonly finder: ToolFinder;
  readonly views: ModelViews;
  readonly pins: PinWatch;
  readonly subjects: Subjects;
  readonly offers: OfferParts;
  /** What a model can take of a result, and where the rest goes. */
  readonly shaping: ShapeSettings;
}

/** Puts the parts of a host together: here it can be seen what a call passes through, and in which order. */
export function assemble(fleet: Fleet, keepers: Keepers, options: HostOptions): Assembly {
  const { clock } = fleet.ports;
  const { guard, pins: lock, ledger, results, images } = keepers;
  const offers: OfferParts = {
    connections: () => fleet.connections(),
    spill: fleet.dock.spill,
    isConnector: (server) => fleet.definition(server)?.scope === 'connectors',
  };
  const subjects = new Subjects(fleet);
  const servers = new ServerCalls(fleet);
  const builtIns = makeBuiltIns(fleet, offers, {
    finder: () => finder,
    results: () => results?.folder,
    count: () => registry.serverTools.length,
  });
  const registry: Registry = new Registry({
    fleet,
    builtIns,
    unprefixed: options.unprefixed ?? [],
    call: (server, placed, context) => servers.call(server, placed, context),
  });
  const isShown = (tool: ServerTool): boolean =>
    !tool.marks.isHidden &&
    pins.asideReason(tool.server, tool.tool) === undefined &&
    isHeardOf(subjects.of(tool), fleet.loaded.permissions);
  const catalogOf: ConstructorParameters<typeof ToolFinder>[0]['catalogOf'] = (server) =>
    fleet.connection(server)?.catalog;
  const finder = new ToolFinder({ clock, tools: () => registry.serverTools, catalogOf, isShown });
  const views = new ModelViews({
    connections: () => fleet.connections(),
    tools: () => registry.serverTools,
    builtIns: builtIns.map((tool) => tool.known),
    isShown,
    isWithheld: (server) => pins.isWithheld(server),
    toolSearch: () => fleet.loaded.settings.toolSearch,
  });
  const pins = new PinWatch(fleet, lock, () => views.clear());
  const forget = (): void => {
    subjects.clear();
    guard.forget();
    registry.clear();
    views.clear();
  };
  fleet.onTools = forget;
  fleet.on('config', forget);
  const shaping: ShapeSettings = { tokenLimit: outputTokens(fleet.loaded.context.env), store: results, images };
  const steps: readonly Step[] = [
    ledgerStep(ledger, clock),
    policyStep((server) => calls.barred(server)),
    pinStep(lock),
    hooksStep({
      hooks: () => keepers.hooks(),
      clock,
      isDenied: (call) => guard.explain(subjects.ofCall(call)).behavior === 'deny',
      about: ({ server }) => ({
        source: server === undefined ? undefined : fleet.definition(server)?.scope,
        mode: modeFor(fleet.loaded.permissions, server)?.mode ?? 'default',
      }),
    }),
    permissionStep({
      guard,
      clock,
      subjectOf: (call) => subjects.ofCall(call),
      pinOf: ({ tool }) => ({
        serverHash: tool.server === undefined ? undefined : fleet.connection(tool.server)?.server.hash,
        definitionHash: tool.server === undefined ? undefined : () => hashOf(tool),
      }),
    }),
    shapeStep(shaping),
    inputStep((schema, value) => fleet.dock.check(schema, value)),
    elicitationStep((question, signal) => keepers.elicit(question, signal)),
    deadlineStep((server) => calls.timeoutOf(server)),
  ];
  const calls: Calls = new Calls({
    fleet,
    registry,
    steps,
    isGone: (name) => views.isGone(name),
    isShown,
    onUnknown: unknownLine(ledger),
  });
  return { registry, calls, finder, views, pins, subjects, offers, shaping };
}

async function hashOf(tool: Tool): Promise<string | undefined> {
  const definition = await tool.definition();
  return definition && definitionHash({ ...definition, name: tool.tool });
}

interface BuiltInParts {
  readonly finder: () => ToolFinder;
  readonly results: () => string | undefined;
  readonly count: () => number;
}

/** In the order in which models are shown them. */
function makeBuiltIns(
  fleet: Fleet,
  offers: OfferParts,
  { finder, results, count }: BuiltInParts,
): readonly BuiltInTool[] {
  const { cwd, projectRoot } = fleet.loaded.context;
  return [
    readTool({
      roots: () => [results(), projectRoot, cwd].filter((root) => root !== undefined),
      tokenLimit: outputTokens(fleet.loaded.context.env),
    }),
    listResourcesTool({ list: (question) => listResources(offers, question) }),
    readResourceTool({ read: (question) => readHostResource(offers, question) }),
    toolSearch({
      search: (query, limit) => finder().search(query, limit),
      definitions: (names) => finder().definitions(names),
      count,
    }),
    callByName(),
  ];
}
