import { cleanSchema } from '../profiles/clean-schema.js';
import { HIDING } from '../profiles/text-definition.js';
import type { ToolDefinition } from '../tool.js';
import type { ModelProfile } from '../profiles/profile.js';
import { toTokenCount } from '../text/tokens.js';

/** What a server offers a model at this moment. */
export interface ServerSnapshot {
  readonly name: string;
  /** The status word that `list` shows. */
  readonly state: string;
  /** It has not told yet what it has: what was known of it, if anything, may hold or not. */
  readonly isCatalogPending?: boolean;
  readonly instructions: string | undefined;
  readonly hasResources: boolean;
  /** Its entry says that its tools are to be shown from the beginning. */
  readonly alwaysLoad: boolean;
  /** Another one whenever its tools are others. */
  readonly revision: string;
  /** What the model calls them; those that it may not see are left out. */
  names(): readonly string[];
  /** May be costly: only asked when the revision is another. */
  definitions(): readonly ToolDefinition[];
  /** What was made of this revision already, by the name of a profile: conversations that see the same share it. */
  readonly seen?: Map<string, SeenBefore>;
}

/** What a conversation begins with, and what it keeps. */
export interface SeenServer {
  readonly viewed: ViewedServer;
  /** Without the definitions: ten thousand that nobody is shown would stay in memory otherwise. */
  readonly told: ViewedServer;
}

export interface SeenBefore extends Omit<SeenServer, 'viewed'> {
  /** Undefined where that is much. */
  readonly viewed: ViewedServer | undefined;
}

/** A definition as the model gets it. */
export interface ViewedTool {
  readonly name: string;
  /** Undefined for one that is built in. */
  readonly server: string | undefined;
  /** In the API's shape; undefined once nobody needs it any more. */
  readonly tool: object | undefined;
  readonly tokens: number;
  /** Another one when the definition is. */
  readonly print: number;
  readonly isAlwaysLoaded: boolean;
}

/** The tools of a server at one revision. */
export interface ViewedServer {
  readonly tools: ReadonlyMap<string, ViewedTool>;
  readonly setAside: readonly SetAside[];
  readonly repairs: readonly Repaired[];
}

export interface SetAside {
  readonly server: string | undefined;
  readonly tool: string;
  readonly reason: string;
}

export interface Repaired {
  readonly server: string | undefined;
  readonly tool: string;
  readonly repairs: readonly string[];
}

/** `before`: what was made of it last. A tool whose definition is not at hand for the moment is still what it was. */
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
  // A few hundred characters can stand for thousands of parts: a server with many such tools would hold everybody up.
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
    });
  }
  return { tools, setAside, repairs };
}

const PARTS = 50_000;
const PARTS_EACH = 40;

/** Tells two texts apart for the news. Not a digest: whoever must not be fooled compares with a pin. */
function toPrint(text: string): number {
  let one = 0x811c9dc5;
  let other = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other + unit, 0x2c1b3c6d) ^ (other >>> 15);
  }
  return (one >>> 0) * 0x20_0000 + (other >>> 11);
}
