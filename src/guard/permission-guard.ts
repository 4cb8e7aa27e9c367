import { decide, type ToolHistory } from '../model/permissions/decide.js';
import type { Decision } from '../model/permissions/decision.js';
import type { PermissionSettings } from '../model/permissions/settings.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import type { ToolInput } from '../model/tool.js';
import { differences } from './definition-hash.js';
import { type AllowedToolKey, AllowedDefinitions } from './allowed-definitions.js';
import {
  type PermissionAnswer,
  type PermissionQuestion,
  readPermissionAnswer,
  toPermissionQuestion,
} from './permission-question.js';
import { QuestionQueue } from './question-queue.js';
import {
  denied,
  deniedAsChanged,
  deniedWithoutUser,
  deniedByPerson,
  deniedUnanswered,
  type PermissionOutcome,
} from './permission-outcome.js';

export interface PermissionGuardOptions {
  readonly settings: () => PermissionSettings;
  /** Asks the person. Contract: lets go when the signal aborts. Without it nobody can be asked, and what would be is denied. */
  readonly ask?: ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>) | undefined;
  readonly grants?: AllowedDefinitions | undefined;
  /** Writes an allow rule for good. */
  readonly remember?: ((rule: string) => Promise<unknown>) | undefined;
}

export interface CallDetails {
  /** Exactly what will be sent. */
  readonly input: ToolInput;
  readonly callId: string;
  readonly signal?: AbortSignal | undefined;
  /** Of its server's config. */
  readonly serverHash?: string | undefined;
  /** Of its server's entry as written, which a rotated variable does not change: what was allowed is remembered under it. */
  readonly entryHash?: (() => string | undefined) | undefined;
  /**
   * What the tool is; undefined where that cannot be told. See `definitionHash`. `known`: as far as anybody has heard, at once.
   * `said`: as its server says it in this run, which may have to be waited for.
   */
  readonly definitionHash?: ((as: 'known' | 'said') => Promise<string | undefined>) | undefined;
}

/** What a definition is found by, and what was allowed of it. */
type DefinitionDetails = Pick<CallDetails, 'serverHash' | 'entryHash' | 'definitionHash'>;

/** Whether a call may be made: by what is written, and where that says so by asking the user. */
export class PermissionGuard implements AsyncDisposable {
  readonly #options: PermissionGuardOptions;
  readonly #grants: AllowedDefinitions;
  readonly #queue = new QuestionQueue();
  /** What may be called without another look, by name. */
  readonly #allowed = new Map<string, Known>();
  readonly #typed = new Map<string, Known>();
  /** What the user allowed for this session: of each name the server that was meant. */
  readonly #answered = new Map<string, string>();
  #settings: PermissionSettings;
  /** What was explained since anything has changed. */
  #explained = new WeakMap<PermissionSubject, Decision>();
  /** Counts how often everything was forgotten: what was looked at before that is not kept. */
  #round = 0;

  constructor(options: PermissionGuardOptions) {
    this.#options = options;
    this.#grants = options.grants ?? new AllowedDefinitions({ file: undefined });
    this.#settings = options.settings();
  }

  /** At once, unless somebody has to be asked or a definition looked at. Never rejects. */
  check(subject: PermissionSubject, details: CallDetails): PermissionOutcome | Promise<PermissionOutcome> {
    const settings = this.#options.settings();
    if (settings !== this.#settings) this.forget();
    const known = (subject.isTyped ? this.#typed : this.#allowed).get(subject.name);
    if (known && known.serverHash === details.serverHash && isSame(known.subject, subject)) return known.verdict;
    const decision = this.#decide(subject, details);
    if (decision.behavior === 'deny') return denied(subject, decision);
    if (decision.behavior === 'allow' && !isPinned(subject, details, decision) && subject.isUnpinned !== true)
      return this.#allow(subject, details, decision);
    if (decision.behavior === 'ask' && !this.#options.ask) return deniedWithoutUser(subject, decision);
    // Whoever is asked first is asked at once; a server is only started for what may be called.
    return this.#settle(subject, details, decision.behavior === 'allow' ? 'said' : 'known');
  }

  /** What is written, as it is now. */
  get settings(): PermissionSettings {
    return this.#options.settings();
  }

  /** What decides, without asking anybody. */
  explain(subject: PermissionSubject): Decision {
    const settings = this.#options.settings();
    if (settings !== this.#settings) this.forget();
    const known = this.#explained.get(subject);
    if (known) return known;
    const decision = decide(subject, settings, { isAnswered: this.#answered.has(subject.name) });
    this.#explained.set(subject, decision);
    return decision;
  }

  /**
   * What a call would meet. What is allowed is held against what the user allowed, by what the server says in this run. Asks nobody,
   * remembers nothing, never rejects.
   */
  async foresee(subject: PermissionSubject, details: DefinitionDetails): Promise<Decision> {
    const decision = this.#decide(subject, details);
    const isLookedAt = subject.isUnpinned === true || isPinned(subject, details, decision);
    if (decision.behavior !== 'allow' || subject.isTyped || !isLookedAt) return decision;
    const isFirst = this.#grants.find(keyOf(subject, details)) === undefined;
    if (isFirst && subject.isUnpinned !== true) return decision;
    return this.#decide(subject, details, (await this.look(subject, details)) ?? 'unknown');
  }

  /** From now on this is what the user has allowed of the tool. */
  accept(subject: PermissionSubject, details: DefinitionDetails, { hash }: ComparedDefinition): void {
    this.#grants.remember(keyOf(subject, details), hash);
    this.forget();
  }

  /** A list of tools has changed, or what is written: everything is looked at anew. What the user answered stays. */
  forget(): void {
    this.#settings = this.#options.settings();
    this.#round++;
    this.#allowed.clear();
    this.#typed.clear();
    this.#explained = new WeakMap();
  }

  /** Nobody is there to ask any more: calls that wait for an answer are not made. */
  withdraw(): void {
    this.#queue.close();
  }

  /** Resolves when what is to be remembered is. Never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#grants[Symbol.asyncDispose]();
  }

  async #settle(subject: PermissionSubject, details: CallDetails, as: 'known' | 'said'): Promise<PermissionOutcome> {
    const round = this.#round;
    const definition = await this.look(subject, details, as);
    const decision = this.#decide(subject, details, definition ?? 'unknown');
    if (decision.behavior === 'deny') return denied(subject, decision);
    if (decision.behavior === 'allow') {
      // What mode bypass lets run nobody has looked at: a later run asks about it all the same.
      const isSeen = decision.isExact === true || !isNewTo(subject, definition);
      if (definition && !definition.change && isSeen) this.#grant(definition);
      return round === this.#round ? this.#allow(subject, details, decision) : { kind: 'allowed', decision };
    }
    return this.#ask({ subject, details, definition, decision });
  }

  async #ask(asking: Asking): Promise<PermissionOutcome> {
    const { subject, details, decision } = asking;
    const { ask } = this.#options;
    if (!ask) return deniedWithoutUser(subject, decision);
    const asked = await this.#queue.put((signal) => this.#pose(asking, ask, signal), details.signal);
    if (asked.kind !== 'answered') return deniedUnanswered(subject, decision, asked);
    const { verdict, isForGood } = asked.answer;
    const note = isForGood ? await this.#write(subject.name) : undefined;
    return note === undefined ? verdict : { ...ALLOWED, note };
  }

  /** When it has its turn. What is answered counts before the next question is looked at. */
  async #pose({ subject, details, definition }: Asking, ask: AskPerson, signal: AbortSignal): Promise<Answered> {
    // Another call of the same tool may have been answered while this one waited.
    const current = definition && this.#compare(definition.key, definition.hash);
    const decision = this.#decide(subject, details, current ?? 'unknown');
    if (decision.behavior === 'deny') return { verdict: denied(subject, decision) };
    if (decision.behavior === 'allow') return { verdict: { kind: 'allowed', decision } };
    const { callId, input } = details;
    const question = toPermissionQuestion({ subject, decision, callId, input, change: current?.change });
    const answer = readPermissionAnswer(await ask(question, signal), question.offers);
    if (answer.kind === 'deny') return { verdict: deniedByPerson(subject, answer.reason) };
    if (current && (await hashOf(details, 'said')) !== current.hash) return { verdict: deniedAsChanged(subject) };
    // Nor does a yes outweigh a rule that was written meanwhile.
    const later = this.#decide(subject, details, current ?? 'unknown');
    if (later.behavior === 'deny') return { verdict: denied(subject, later) };
    // Nobody waits for it any more, and nothing is remembered of what was not done.
    if (signal.aborted || answer.remember === 'once') return { verdict: ALLOWED };
    this.#answered.set(subject.name, details.serverHash ?? '');
    this.#explained = new WeakMap();
    this.#grant(current);
    return { verdict: ALLOWED, isForGood: answer.remember === 'always' };
  }

  /** What became of it, where it could not be written: it holds for this session all the same. */
  async #write(rule: string): Promise<string | undefined> {
    const { remember } = this.#options;
    if (!remember) return `The rule "${rule}" cannot be kept; it holds until the end of this session`;
    try {
      await remember(rule);
      return undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return `The rule "${rule}" could not be written, and holds until the end of this session: ${why}`;
    }
  }

  /** Without a definition nobody has looked yet; `unknown`: somebody has, and it cannot be told. */
  #decide(
    subject: PermissionSubject,
    { serverHash }: Pick<CallDetails, 'serverHash'>,
    definition?: Definition | 'unknown',
  ): Decision {
    const known = definition === 'unknown' ? undefined : definition;
    const memory: ToolHistory = {
      isAnswered: this.#answered.get(subject.name) === (serverHash ?? ''),
      isChanged: known?.change !== undefined,
      isNew: definition !== undefined && isNewTo(subject, known),
    };
    return decide(subject, this.#options.settings(), memory);
  }

  #allow(subject: PermissionSubject, { serverHash }: CallDetails, decision: Decision): PermissionOutcome {
    const verdict: PermissionOutcome = { kind: 'allowed', decision };
    if (decision.by.kind === 'hook') return verdict;
    (subject.isTyped ? this.#typed : this.#allowed).set(subject.name, { subject, serverHash, verdict });
    return verdict;
  }

  /** What a tool is, and what is different since the user allowed it. Undefined: that cannot be told. Never rejects. */
  async look(
    subject: PermissionSubject,
    details: DefinitionDetails,
    as: 'known' | 'said' = 'said',
  ): Promise<Definition | undefined> {
    const hash = subject.server === undefined ? undefined : await hashOf(details, as);
    return hash === undefined ? undefined : this.#compare(keyOf(subject, details), hash);
  }

  #compare(key: AllowedToolKey, hash: string): Definition {
    const before = this.#grants.find(key);
    const isChanged = before !== undefined && before !== hash;
    return { key, hash, before, change: isChanged ? differences(before, hash) : undefined };
  }

  #grant(definition: Definition | undefined): void {
    if (definition) this.#grants.remember(definition.key, definition.hash);
  }
}

interface Known {
  readonly subject: PermissionSubject;
  readonly serverHash: string | undefined;
  readonly verdict: PermissionOutcome;
}

/** What a tool is, beside what the user allowed. */
export interface ComparedDefinition {
  readonly hash: string;
  /** What the user allowed; undefined: nothing yet. */
  readonly before: string | undefined;
  /** What is different, in words. */
  readonly change: readonly string[] | undefined;
}

interface Definition extends ComparedDefinition {
  readonly key: AllowedToolKey;
}

type AskPerson = NonNullable<PermissionGuardOptions['ask']>;

interface Answered {
  readonly verdict: PermissionOutcome;
  /** A rule is to be written. */
  readonly isForGood?: boolean;
}

const ALLOWED: Extract<PermissionOutcome, { readonly kind: 'allowed' }> = {
  kind: 'allowed',
  decision: { behavior: 'allow', by: { kind: 'person' }, reason: 'you allowed it' },
};

function keyOf({ server, name }: PermissionSubject, { serverHash, entryHash }: DefinitionDetails): AllowedToolKey {
  const formerly = serverHash ?? server ?? '';
  return { server: entryHash?.() ?? formerly, formerly, name };
}

async function hashOf({ definitionHash }: DefinitionDetails, as: 'known' | 'said'): Promise<string | undefined> {
  try {
    return await definitionHash?.(as);
  } catch {
    return undefined; // as good as not known
  }
}

interface Asking {
  readonly subject: PermissionSubject;
  readonly details: CallDetails;
  readonly definition: Definition | undefined;
  readonly decision: Decision;
}

/** Whether a tool came after its server was pinned, and nobody has allowed it as it is. */
function isNewTo({ isUnpinned }: PermissionSubject, definition: Definition | undefined): boolean {
  return isUnpinned === true && (definition === undefined || definition.before !== definition.hash);
}

/** Whether what permits a tool permits only the one that the user saw. */
function isPinned({ server }: PermissionSubject, { definitionHash }: DefinitionDetails, { by }: Decision): boolean {
  if (server === undefined || !definitionHash) return false;
  return by.kind === 'rule' || by.kind === 'trust' || by.kind === 'session';
}

/** Whether a decision about one is one about the other. */
function isSame(one: PermissionSubject, other: PermissionSubject): boolean {
  if (one === other) return true;
  return (
    one.server === other.server &&
    one.tool === other.tool &&
    one.author === other.author &&
    one.isTrusted === other.isTrusted &&
    one.accountOf === other.accountOf &&
    one.alsoServer === other.alsoServer &&
    one.alsoAccountOf === other.alsoAccountOf &&
    one.sharesName === other.sharesName &&
    one.hasTwin === other.hasTwin &&
    one.isUnpinned === other.isUnpinned &&
    one.hints.readOnly === other.hints.readOnly &&
    one.marks.saysDestructive === other.marks.saysDestructive &&
    one.marks.needsUser === other.marks.needsUser &&
    one.isAskedByHook === other.isAskedByHook &&
    one.isSecret === other.isSecret
  );
}
