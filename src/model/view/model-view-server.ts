import type { ShownSkill } from './model-view-skills.js';
import type { ModelProfile } from '../profiles/profile.js';
import { ServerViewing, sortTools } from './server-viewing.js';
import type { ToolDefinition } from '../tool.js';

/** What a server offers a model now. */
export interface ServerSnapshot {
  readonly name: string;
  /** The status word that `list` shows. */
  readonly state: string;
  /** The server has not listed its tools yet: what was known before may be outdated. */
  readonly isCatalogPending?: boolean;
  readonly instructions: string | undefined;
  readonly hasResources: boolean;
  /** The same array until they change. */
  readonly skills?: readonly ShownSkill[] | undefined;
  /** The entry says that the tools are shown from the beginning. */
  readonly alwaysLoad: boolean;
  /** Changes whenever the tools do. */
  readonly revision: string;
  /** The tools' names for the model, without those that it may not see. */
  names(): readonly string[];
  /** The definitions of these tools, in this order, without those that are not at hand. May be costly. */
  definitions(names: readonly string[]): readonly ToolDefinition[];
  /** The views of this revision by profile name, begun or finished, shared by all conversations. */
  readonly seen: Map<string, ServerViewing>;
}

/** A tool as the model is shown it, without its definition: ten thousand that are never shown would stay in memory. */
export interface ViewedTool {
  readonly name: string;
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  readonly tokens: number;
  /** Of the definition as JSON, in the API's form. */
  readonly bytes: number;
  /** A checksum of the definition. */
  readonly print: number;
  readonly isAlwaysLoaded: boolean;
  /** The server itself says that the tool is always loaded. */
  readonly isMarked: boolean;
}

/** The tools of a server at one revision. */
export interface ViewedServer {
  readonly tools: ReadonlyMap<string, ViewedTool>;
  /** The same tools in the order of their names, in which models are shown them. */
  readonly sorted: readonly ViewedTool[];
  readonly setAside: readonly SetAside[];
  readonly repairs: readonly Repaired[];
}

/** A tool that a model is not shown, and why. */
export interface SetAside {
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  /** The name that the model would know. */
  readonly tool: string;
  /** Why the model is not shown the tool. */
  readonly reason: string;
}

/** What was changed in the schema of a tool so that a model API takes it. */
export interface Repaired {
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  /** The name that the model knows. */
  readonly tool: string;
  /** Each change in a clause. */
  readonly repairs: readonly string[];
}

/** `before`: the previous view. A tool whose definition is not available at the moment keeps its previous one. */
export function viewServer(offer: ServerSnapshot, profile: ModelProfile, before?: ViewedServer): ViewedServer {
  const viewing = viewingOf(offer, profile);
  viewing.finish();
  const { viewed, lost } = viewing;
  if (lost.length === 0) return viewed;
  // What is lost now may be found in the next turn.
  offer.seen.delete(profile.name);
  const kept = lost.flatMap((name): [string, ViewedTool][] => {
    const old = before?.tools.get(name);
    return old ? [[name, old]] : [];
  });
  if (kept.length === 0) return viewed;
  const tools = new Map([...viewed.tools, ...kept]);
  return { ...viewed, tools, sorted: sortTools(tools.values()) };
}

/** The view of this revision for the profile, as far as it is made. */
export function viewingOf(offer: ServerSnapshot, profile: ModelProfile): ServerViewing {
  const known = offer.seen.get(profile.name);
  if (known) return known;
  const viewing = new ServerViewing(offer, profile);
  offer.seen.set(profile.name, viewing);
  return viewing;
}

/** These tools of the server in the API's form, by name; without those whose definitions are not at hand. */
export function toolsIn(
  offer: ServerSnapshot,
  profile: ModelProfile,
  names: readonly string[],
): ReadonlyMap<string, object> {
  return viewingOf(offer, profile).toolsNamed(names);
}

/** As `toolsIn`, for tools of several servers. */
export function toolsOf(
  tools: readonly ViewedTool[],
  offers: ReadonlyMap<string, ServerSnapshot>,
  profile: ModelProfile,
): ReadonlyMap<string, object> {
  const names = new Map<string, string[]>();
  for (const { name, server = '' } of tools) {
    const own = names.get(server);
    if (own) own.push(name);
    else names.set(server, [name]);
  }
  const found = new Map<string, object>();
  for (const [server, own] of names) {
    const offer = offers.get(server);
    if (offer) for (const [name, tool] of toolsIn(offer, profile, own)) found.set(name, tool);
  }
  return found;
}
