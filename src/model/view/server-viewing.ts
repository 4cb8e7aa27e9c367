import type { ModelProfile } from '../profiles/profile.js';
import type { ToolDefinition } from '../tool.js';
import type { Repaired, ServerSnapshot, SetAside, ViewedServer, ViewedTool } from './model-view-server.js';
import { toProfiled, type ViewedFrom, viewTool } from './view-tool.js';

/**
 * The view of one revision of a server for one profile, made in steps: a host takes them between other work as lists
 * come, and a turn that comes earlier takes those that are left. Either way the outcome is the same.
 */
export class ServerViewing {
  readonly #offer: Pick<ServerSnapshot, 'names' | 'definitions'>;
  readonly #profile: ModelProfile;
  readonly #from: ViewedFrom;
  readonly #tools = new Map<string, ViewedTool>();
  #sorted: readonly ViewedTool[] = [];
  readonly #setAside: SetAside[] = [];
  readonly #repairs: Repaired[] = [];
  readonly #lost: string[] = [];
  /** The names to view; undefined before the first step, and after the last. */
  #names: readonly string[] | undefined;
  #at = 0;
  #isDone = false;
  /** Schema nodes that may still be written: a few hundred characters can expand to thousands. */
  #parts = 0;
  /** Tools in the API's form, while they are few enough to be kept. */
  #kept: Map<string, object> | undefined = new Map();
  #keptBytes = 0;
  /** Of all tools viewed so far. */
  #bytes = 0;
  #stepSize = STEP;

  constructor(
    offer: Pick<ServerSnapshot, 'name' | 'alwaysLoad' | 'names' | 'definitions'>,
    profile: ModelProfile,
    from: ViewedFrom = { server: offer.name, alwaysLoad: offer.alwaysLoad },
  ) {
    this.#offer = offer;
    this.#profile = profile;
    this.#from = from;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** All tools; call it when done. */
  get viewed(): ViewedServer {
    return { tools: this.#tools, sorted: this.#sorted, setAside: this.#setAside, repairs: this.#repairs };
  }

  /** Names whose definitions were not at hand. */
  get lost(): readonly string[] {
    return this.#lost;
  }

  /** Views some more tools, fewer at once where they are large. False when none is left. */
  step(): boolean {
    const before = this.#bytes;
    const isMore = this.#next(this.#stepSize);
    const isLarge = this.#bytes - before > STEP_BYTES;
    this.#stepSize = isLarge ? Math.max(1, this.#stepSize >> 1) : Math.min(STEP, this.#stepSize << 1);
    return isMore;
  }

  /** Views all tools that are left, at once. */
  finish(): void {
    this.#next(Infinity);
  }

  #next(count: number): boolean {
    if (this.#isDone) return false;
    const names = (this.#names ??= this.#begin());
    const some = names.slice(this.#at, this.#at + count);
    this.#at += some.length;
    if (some.length > 0) this.#take(some);
    this.#isDone = this.#at >= names.length;
    if (this.#isDone) this.#end();
    return !this.#isDone;
  }

  /** These tools in the API's form, read again where they were not kept; without those that are lost or set aside. */
  toolsNamed(names: readonly string[]): ReadonlyMap<string, object> {
    const found = new Map<string, object>();
    const missing = names.filter((name) => {
      const tool = this.#kept?.get(name);
      if (tool) found.set(name, tool);
      return !tool;
    });
    if (missing.length === 0) return found;
    for (const definition of this.#offer.definitions(missing)) {
      const profiled = toProfiled(definition, this.#profile);
      if (profiled.kind === 'tool') found.set(definition.name, profiled.tool);
    }
    return found;
  }

  /** Bytes of the definitions that are kept. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Keeps no definitions any more: they are read again when they are needed. */
  release(): void {
    this.#kept = undefined;
    this.#keptBytes = 0;
  }

  #begin(): readonly string[] {
    const names = [...new Set(this.#offer.names())];
    this.#parts = PARTS + PARTS_EACH * names.length;
    return names;
  }

  #end(): void {
    this.#names = undefined;
    this.#sorted = sortTools(this.#tools.values());
  }

  #take(names: readonly string[]): void {
    const definitions = new Map(this.#offer.definitions(names).map((definition) => [definition.name, definition]));
    for (const name of names) {
      const definition = definitions.get(name);
      if (definition) this.#view(definition);
      else this.#lost.push(name);
    }
  }

  #view(definition: ToolDefinition): void {
    const { name } = definition;
    const { server } = this.#from;
    if (this.#parts < 0) {
      this.#setAside.push({ server, tool: name, reason: 'The schemas of its server take too long to write out' });
      return;
    }
    const view = viewTool(definition, this.#profile, this.#from);
    this.#parts -= view.parts ?? 0;
    if (view.kind === 'aside') {
      this.#setAside.push({ server, tool: name, reason: view.reason });
      return;
    }
    if (view.repairs.length > 0) this.#repairs.push({ server, tool: name, repairs: view.repairs });
    this.#tools.set(name, view.viewed);
    this.#bytes += view.viewed.bytes;
    this.#keep(view.viewed, view.tool);
  }

  #keep({ name, bytes }: ViewedTool, tool: object): void {
    if (!this.#kept) return;
    this.#kept.set(name, tool);
    this.#keptBytes += bytes;
    if (this.#keptBytes > KEPT_BYTES) this.release();
  }
}

export function sortTools(tools: Iterable<ViewedTool>): ViewedTool[] {
  return [...tools].toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

const STEP = 32; // definitions between two looks at the clock
const STEP_BYTES = 100_000;
const PARTS = 50_000;
const PARTS_EACH = 40;
/** More than the definitions of one request may have: a server with more is searched, or read again. */
const KEPT_BYTES = 1_000_000;
