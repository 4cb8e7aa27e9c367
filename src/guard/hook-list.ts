import type { HookMatcher } from '../model/hook-matcher.js';
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
  readonly #byName = new Map<string, readonly Hook<Question, Answer>[]>();

  constructor(entries: readonly HookEntry<Question, Answer>[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** `alias`: the built-in tool by which a model asks for it, where that is another. A name has always the same. */
  for(name: string, alias?: string): readonly Hook<Question, Answer>[] {
    if (this.#entries.length === 0) return NOBODY;
    return this.#byName.get(name) ?? this.#choose(name, alias);
  }

  #choose(name: string, alias: string | undefined): readonly Hook<Question, Answer>[] {
    const chosen = this.#entries.map(({ matcher, hook, otherwise }) => {
      const isNamed = matcher.matches(name);
      const isFor = isNamed === false && alias !== undefined ? matcher.matches(alias) : isNamed;
      return isFor === undefined ? otherwise : isFor ? hook : undefined;
    });
    if (this.#byName.size >= NAMES_LIMIT) this.#byName.clear();
    const hooks = chosen.filter((hook) => hook !== undefined);
    this.#byName.set(name, hooks);
    return hooks;
  }
}

const NOBODY: readonly never[] = [];
const NAMES_LIMIT = 20_000; // more tools than a host has; beyond, somebody makes names up
