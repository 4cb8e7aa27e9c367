import { type HookMatcher, spellServer } from '../model/hook-matcher.js';
import { spell } from '../model/permissions/match.js';
import type { Hook } from './hook.js';

export interface HookEntry<Question, Answer> {
  readonly matcher: Extract<HookMatcher, { kind: 'readable' }>;
  readonly hook: Hook<Question, Answer>;
  /** In its place when nobody can tell whether it is for a name; undefined: then it is not. */
  readonly otherwise?: Hook<Question, Answer> | undefined;
}

/** The hooks of one event, in their order. Which of them are for a name is found out once. */
export class HookList<Question, Answer> {
  readonly #entries: readonly HookEntry<Question, Answer>[];
  readonly #byName = new Map<string, Chosen<Question, Answer>>();

  constructor(entries: readonly HookEntry<Question, Answer>[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** For a tool, or with nothing but a name for a server that asks something. */
  for(subject: HookSubject): readonly Hook<Question, Answer>[] {
    if (this.#entries.length === 0) return NOBODY;
    const known = this.#byName.get(subject.name);
    // Another server may have got the name since.
    if (known && known.server === subject.server && known.tool === subject.tool) return known.hooks;
    return this.#choose(subject);
  }

  #choose(subject: HookSubject): readonly Hook<Question, Answer>[] {
    const { name, server, tool, alias } = subject;
    const spelled = tool === undefined ? spellServer(name) : spell({ name, server, tool, alias, author: 'user' });
    const chosen = this.#entries.map(({ matcher, hook, otherwise }) => {
      const isFor = matcher.covers(spelled);
      return isFor === undefined ? otherwise : isFor ? hook : undefined;
    });
    if (this.#byName.size >= NAMES_LIMIT) this.#byName.clear();
    const hooks = chosen.filter((hook) => hook !== undefined);
    this.#byName.set(name, { server, tool, hooks });
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
}

interface Chosen<Question, Answer> extends Pick<HookSubject, 'server' | 'tool'> {
  readonly hooks: readonly Hook<Question, Answer>[];
}

const NOBODY: readonly never[] = [];
const NAMES_LIMIT = 20_000; // more tools than a host has; beyond, somebody makes names up
