import type { ConfiguredServer } from '../config/server.js';
import { nameHeads } from '../model/permissions/name-heads.js';
import { longerNames, type PermissionSubject, sharedNames, toSubject } from '../model/permissions/subject.js';
import { type Rival, toClaims } from '../model/permissions/rivals.js';
import type { CallTraits, Tool, ToolInput } from '../model/tool.js';
import type { Fleet } from './fleet.js';
import type { ToolCall } from './pipeline.js';
import { rivalsOf } from './rivals.js';

/** What decides about a tool, put together once for each. */
export class Subjects {
  readonly #fleet: Fleet;
  readonly #isUnpinned: (server: string, tool: string) => boolean;
  readonly #known = new Map<string, PermissionSubject>();
  readonly #typed = new Map<string, PermissionSubject>();
  readonly #longer = new Map<string, readonly string[]>();
  readonly #rivals = new Map<string, readonly Rival[]>();
  #shared: ReadonlySet<string> | undefined;
  #servers: AllServers | undefined;

  /** `isUnpinned`: whether a lock means the server, and not the tool. */
  constructor(fleet: Fleet, isUnpinned: (server: string, tool: string) => boolean) {
    this.#fleet = fleet;
    this.#isUnpinned = isUnpinned;
  }

  /** A list of tools, or the files, have changed. */
  clear(): void {
    this.#known.clear();
    this.#typed.clear();
    this.#shared = undefined;
    this.#servers = undefined;
    this.#longer.clear();
    this.#rivals.clear();
  }

  of(tool: Tool): PermissionSubject {
    return this.#find(this.#known, tool, false);
  }

  ofCall({ tool, input, isTyped, trace }: ToolCall): PermissionSubject {
    const subject = isTyped ? this.#find(this.#typed, tool, true) : this.of(tool);
    const alsoServer = tool.server === undefined ? serverOf(input) : undefined;
    const { isAllowedByHook, mustAsk } = trace;
    const traits = tool.traitsOf?.(input);
    if (alsoServer === undefined && !isAllowedByHook && !mustAsk && !traits) return subject;
    return {
      ...(traits ? withTraits(subject, traits) : subject),
      ...(alsoServer !== undefined && { alsoServer, alsoAccountOf: this.#fleet.definition(alsoServer)?.accountOf }),
      ...(isAllowedByHook && { isAllowedByHook }),
      ...(mustAsk && { isAskedByHook: true }),
    };
  }

  #find(known: Map<string, PermissionSubject>, tool: Tool, isTyped: boolean): PermissionSubject {
    const found = known.get(tool.name);
    if (found) return found;
    const subject = this.#make(tool, isTyped);
    known.set(tool.name, subject);
    return subject;
  }

  /** Of most servers there is none, and of one that has thousands of tools it is asked for each. */
  #longerThan(server: string): readonly string[] {
    const known = this.#longer.get(server);
    if (known) return known;
    const { names, alike } = this.#all();
    const found = longerNames(
      server,
      [...alike(server)].filter((name) => names.has(name)),
    );
    this.#longer.set(server, found);
    return found;
  }

  /** Of all servers that there are, also where a run has opened only some of them: rules mean the same in each. */
  get names(): ReadonlySet<string> {
    return this.#all().names;
  }

  #all(): AllServers {
    return (this.#servers ??= toAll(this.#fleet));
  }

  /** Of most servers there is none either. */
  rivalsOf(server: string): readonly Rival[] {
    const fleet = this.#fleet;
    const known = this.#rivals.get(server);
    if (known) return known;
    const { definitions, alike } = this.#all();
    const meant = [...alike(server)].flatMap((name) => definitions.get(name) ?? []);
    const found = rivalsOf(server, meant, (name) => fleet.anyConnection(name));
    this.#rivals.set(server, found);
    return found;
  }

  #make(tool: Tool, isTyped: boolean): PermissionSubject {
    const { server } = tool;
    this.#shared ??= sharedNames(this.names);
    return toSubject(tool, {
      entry: server === undefined ? undefined : this.#fleet.definition(server),
      isTyped,
      sharesName: server !== undefined && this.#shared.has(server),
      longer: server === undefined ? [] : this.#longerThan(server),
      isUnpinned: server !== undefined && !tool.isOurs && !tool.act && this.#isUnpinned(server, tool.tool),
      claims: server === undefined ? undefined : toClaims(this.rivalsOf(server)),
    });
  }
}

interface AllServers {
  /** Those whose entries say something that could be used. */
  readonly names: ReadonlySet<string>;
  readonly definitions: ReadonlyMap<string, readonly ConfiguredServer[]>;
  /** Those whose rules could be taken for those of this one: of ten thousand servers mostly itself alone. */
  readonly alike: (server: string) => ReadonlySet<string>;
}

function toAll(fleet: Fleet): AllServers {
  const definitions = new Map<string, ConfiguredServer[]>();
  const names = new Set(fleet.connections().map(({ name }) => name));
  for (const definition of fleet.definitions()) {
    const { name, config } = definition;
    if (config !== undefined) names.add(name);
    const known = definitions.get(name);
    if (known) known.push(definition);
    else definitions.set(name, [definition]);
  }
  return { names, definitions, alike: nameHeads([...names, ...definitions.keys()]) };
}

function withTraits(subject: PermissionSubject, { isHarmless, isSecret, circumstance }: CallTraits): PermissionSubject {
  if (isHarmless === true) return { ...subject, author: 'built-in', hints: { ...subject.hints, readOnly: true } };
  return { ...subject, isSecret, circumstance };
}

/** Whose resource a built-in tool is to read. */
function serverOf({ server }: ToolInput): string | undefined {
  return typeof server === 'string' ? server : undefined;
}
