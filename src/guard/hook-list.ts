import { type HookMatcher, spellServer } from '../model/hooks/hook-matcher.js';
import { spell } from '../model/permissions/match.js';
import type { Hook } from './hook.js';

export interface HookEntry<Question, Answer> {
  readonly matcher: Extract<HookMatcher, { kind: 'readable' }>;
  readonly hook: Hook<Question, Answer>;
  /** In its place when nobody can tell whether it is for a name; undefined: then it is not. */
  readonly otherwise?: Hook<Question, Answer> | undefined;
  /** In its place for an account of the server that it is for; undefined: itself. */
  readonly forAccount?: Hook<Question, Answer> | undefined;
}

/** The hooks of one event, in their order. Which of them are for a name is found out once. */
export class HookList<Question, Answer> {
  readonly #entries: readonly HookEntry<Question, Answer>[];
  readonly #byName = new Map<string, Chosen<Question, Answer>>();

  constructor(entries: readonly HookEntry<Question, Answer>[]) {
    this.#entries = entries;
  }

  /** For a tool, or with nothing but a name for a server that asks something. */
  for(subject: HookSubject): readonly Hook<Question, Answer>[] {
    if (this.#entries.length === 0) return NOBODY;
    const known = this.#byName.get(subject.name);
    // Another server may have got the name since.
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
    this.#byName.set(name, { server, tool, accountOf, hooks });
    return hooks;
  }
}

/** What a hook may be for. */
export interface HookSubject {
  /** A tool's as the model knows it; for questions the server's. */
  readonly name: string;
  /** Undefined for a tool that is built in. */
  readonly server?: string | undefined;
  /** As its server spells it; undefined: a server has a question. */
  readonly tool?: string | undefined;
  /** The built-in tool by which a model asks for it, where that is another. */
  readonly alias?: string | undefined;
  /** Its server is an account of that one. */
  readonly accountOf?: string | undefined;
}

type Owner = Pick<HookSubject, 'server' | 'tool' | 'accountOf'>;

interface Chosen<Question, Answer> extends Owner {
  readonly hooks: readonly Hook<Question, Answer>[];
}

function isSame(one: Owner, other: Owner): boolean {
  return one.server === other.server && one.tool === other.tool && one.accountOf === other.accountOf;
}

const NOBODY: readonly never[] = [];
const NAMES_LIMIT = 20_000; // more tools than a host has; beyond, somebody makes names up
