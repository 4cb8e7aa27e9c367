import { type HookMatcher, spellServer } from '../model/hooks/hook-matcher.js';
import { spell } from '../model/permissions/match.js';
import type { Hook } from './hook.js';

export interface HookEntry<Question, Answer> {
  readonly matcher: Extract<HookMatcher, { kind: 'readable' }>;
  readonly hook: Hook<Question, Answer>;
  /** Used when the matcher takes too long for a name; undefined: the hook is skipped. */
  readonly otherwise?: Hook<Question, Answer> | undefined;
  /** Used instead of `hook` for an account of the server that the matcher names; `hook` by default. */
  readonly forAccount?: Hook<Question, Answer> | undefined;
}

/** The hooks of one event, in order. Caches which of them match a name. */
export class HookList<Question, Answer> {
  readonly #entries: readonly HookEntry<Question, Answer>[];
  readonly #byName = new Map<string, Chosen<Question, Answer>>();

  constructor(entries: readonly HookEntry<Question, Answer>[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The hooks for a tool, or, when the subject has only a name, for a server's elicitation. */
  for(subject: HookSubject): readonly Hook<Question, Answer>[] {
    if (this.#entries.length === 0) return NOBODY;
    const known = this.#byName.get(subject.name);
    // Another server may have taken over the name, or another built-in tool leads to it.
    if (known && isSame(known, subject)) return known.hooks;
    return this.#choose(subject);
  }

  #choose(subject: HookSubject): readonly Hook<Question, Answer>[] {
    const { name, server, tool, alias, accountOf } = subject;
    const names = tool === undefined ? undefined : ({ name, server, tool, alias, author: 'user' } as const);
    const spelled = names ? spell(names) : spellServer(name);
    const wider = names && accountOf !== undefined ? spell({ ...names, accountOf }) : undefined;
    const chosen = this.#entries.map(({ matcher, hook, otherwise, forAccount = hook }) => {
      const isFor = matcher.covers(spelled);
      if (isFor !== false) return isFor ? hook : otherwise;
      const isForServer = wider ? matcher.covers(wider) : false;
      return isForServer === undefined ? otherwise : isForServer ? forAccount : undefined;
    });
    if (this.#byName.size >= NAMES_LIMIT) this.#byName.clear();
    const hooks = chosen.filter((hook) => hook !== undefined);
    this.#byName.set(name, { server, tool, alias, accountOf, hooks });
    return hooks;
  }
}

/** What a hook's matcher is compared with. */
export interface HookSubject {
  /** The tool's name as the model knows it; for an elicitation, the server's name. */
  readonly name: string;
  /** Undefined for a built-in tool. */
  readonly server?: string | undefined;
  /** The tool's name as its server spells it; undefined for an elicitation. */
  readonly tool?: string | undefined;
  /** The built-in tool through which the model calls this one, if any. */
  readonly alias?: string | undefined;
  /** The server that this server is an account of. */
  readonly accountOf?: string | undefined;
}

type Owner = Pick<HookSubject, 'server' | 'tool' | 'alias' | 'accountOf'>;

interface Chosen<Question, Answer> extends Owner {
  readonly hooks: readonly Hook<Question, Answer>[];
}

function isSame(one: Owner, other: Owner): boolean {
  return (
    one.server === other.server &&
    one.tool === other.tool &&
    one.alias === other.alias &&
    one.accountOf === other.accountOf
  );
}

const NOBODY: readonly never[] = [];
const NAMES_LIMIT = 20_000; // more tools than a host has; beyond that, names are made up
