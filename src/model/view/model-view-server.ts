import { cleanSchema } from '../profiles/clean-schema.js';
import { HIDING } from '../profiles/text-definition.js';
import type { ShownSkill } from './model-view-skills.js';
import type { ToolDefinition } from '../tool.js';
import type { ModelProfile } from '../profiles/profile.js';
import { toTokenCount } from '../text/tokens.js';

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
  /** May be costly: called only when the revision has changed. */
  definitions(): readonly ToolDefinition[];
  /** The views of this revision by profile name, shared by all conversations. */
  readonly seen?: Map<string, SeenBefore>;
}

/** A server's view at the start of a conversation, and the part that is kept. */
export interface SeenServer {
  readonly viewed: ViewedServer;
  /** Without definitions: ten thousand that are never shown would stay in memory. */
  readonly told: ViewedServer;
}

export interface SeenBefore extends Omit<SeenServer, 'viewed'> {
  /** Undefined when large. */
  readonly viewed: ViewedServer | undefined;
}

/** A tool as the model is shown it. */
export interface ViewedTool {
  readonly name: string;
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  /** In the API's form; undefined once it is no longer needed. */
  readonly tool: object | undefined;
  readonly tokens: number;
  /** A checksum of the definition. */
  readonly print: number;
  readonly isAlwaysLoaded: boolean;
  /** The server itself says that the tool is always loaded. */
  readonly isMarked: boolean;
}

/** The tools of a server at one revision. */
export interface ViewedServer {
  readonly tools: ReadonlyMap<string, ViewedTool>;
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
export function viewServer(offer: ServerSnapshot, profile: ModelProfile, before?: ViewedServer): SeenServer {
  const known = offer.seen?.get(profile.name);
  if (known?.viewed) return { ...known, viewed: known.viewed };
  const names = new Set(offer.names());
  const definitions = offer.definitions().filter(({ name }) => names.has(name));
  const found = viewTools(definitions, profile, { server: offer.name, alwaysLoad: offer.alwaysLoad });
  for (const { name } of definitions) names.delete(name);
  const lost = [...names].flatMap((name): [string, ViewedTool][] => {
    const old = before?.tools.get(name);
    return old ? [[name, old]] : [];
  });
  const viewed = lost.length === 0 ? found : { ...found, tools: new Map([...found.tools, ...lost]) };
  const told = known?.told ?? withoutTools(viewed);
  if (names.size === 0) offer.seen?.set(profile.name, { told, viewed: isLarge(viewed) ? undefined : viewed });
  return { viewed, told };
}

function withoutTools(viewed: ViewedServer): ViewedServer {
  const tools = Array.from(viewed.tools, ([name, tool]): [string, ViewedTool] => [name, { ...tool, tool: undefined }]);
  return { ...viewed, tools: new Map(tools) };
}

function isLarge({ tools }: ViewedServer): boolean {
  let tokens = 0;
  for (const tool of tools.values()) tokens += tool.tokens;
  return tokens > SHARED_TOKENS;
}

const SHARED_TOKENS = 50_000; // more than a conversation is likely to load of one server

export function viewTools(
  definitions: readonly ToolDefinition[],
  profile: ModelProfile,
  { server, alwaysLoad }: { readonly server: string | undefined; readonly alwaysLoad: boolean },
): ViewedServer {
  const tools = new Map<string, ViewedTool>();
  const setAside: SetAside[] = [];
  const repairs: Repaired[] = [];
  // A few hundred characters can expand to thousands of parts: many such tools would block the event loop.
  let left = PARTS + PARTS_EACH * definitions.length;
  for (const definition of definitions) {
    const { name } = definition;
    if (tools.has(name)) continue;
    if (left < 0) {
      setAside.push({ server, tool: name, reason: 'The schemas of its server take too long to write out' });
      continue;
    }
    const inputSchema = cleanSchema(definition.inputSchema);
    if (!inputSchema) {
      setAside.push({ server, tool: name, reason: HIDING });
      continue;
    }
    const isClean = inputSchema === definition.inputSchema;
    const profiled = profile.toTool(isClean ? definition : { ...definition, inputSchema });
    left -= profiled.parts ?? 0;
    if (profiled.kind === 'aside') {
      setAside.push({ server, tool: name, reason: profiled.reason });
      continue;
    }
    if (profiled.repairs.length > 0) repairs.push({ server, tool: name, repairs: profiled.repairs });
    const text = JSON.stringify(profiled.tool);
    tools.set(name, {
      name,
      server,
      tool: profiled.tool,
      tokens: toTokenCount(text.length),
      print: toPrint(text),
      isAlwaysLoaded: alwaysLoad || definition.marks.alwaysLoad,
      isMarked: definition.marks.alwaysLoad,
    });
  }
  return { tools, setAside, repairs };
}

const PARTS = 50_000;
const PARTS_EACH = 40;

/** A checksum that detects changes for the news. Not cryptographic: security checks use pins. */
export function toPrint(text: string): number {
  let one = 0x811c9dc5;
  let other = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other + unit, 0x2c1b3c6d) ^ (other >>> 15);
  }
  return (one >>> 0) * 0x20_0000 + (other >>> 11);
}
