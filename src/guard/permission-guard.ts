import { decide, type ToolHistory } from '../model/permissions/decide.js';
import type { Decision } from '../model/permissions/decision.js';
import type { PermissionSettings } from '../model/permissions/settings.js';
import type { FlowFinding } from '../model/flow/flow-finding.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import type { StatedHints } from '../model/stated-hints.js';
import type { ToolInput } from '../model/tool.js';
import { differences } from './definition-hash.js';
import { type AllowedToolKey, AllowedDefinitions } from './allowed-definitions.js';
import { type AskPermission, readPermissionAnswer, toPermissionQuestion } from './permission-question.js';
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
  /** Asks the user. Contract: stops waiting when the signal aborts. Without it, whatever would be asked is denied. */
  readonly ask?: AskPermission | undefined;
  readonly grants?: AllowedDefinitions | undefined;
  /** Writes a permanent allow rule. */
  readonly remember?: ((rule: string) => Promise<unknown>) | undefined;
}

export interface CallDetails {
  /** The input exactly as it will be sent. */
  readonly input: ToolInput;
  readonly callId: string;
  readonly signal?: AbortSignal | undefined;
  /** Answers the question about this call alone where the guard itself has nobody to ask: nothing is remembered. */
  readonly ask?: AskPermission | undefined;
  /** Hash of the server's config. */
  readonly serverHash?: string | undefined;
  /** Hash of the server's entry as written, which a rotated variable does not change: the key of grants. */
  readonly entryHash?: (() => string | undefined) | undefined;
  /**
   * `definitionHash` of the tool; undefined when it is unknown. `cached`: as cached, at once. `listed`: as the server
   * lists it in this run, which may take a connect.
   */
  readonly definitionHash?: ((as: 'cached' | 'listed') => Promise<string | undefined>) | undefined;
  /** The flow guard, for a call that may send out what was read. */
  readonly flow?: CallFlow | undefined;
  /** The hints that the server states about the tool, for the permission question. Contract: never rejects. */
  readonly statedHints?: (() => Promise<StatedHints | undefined>) | undefined;
}

/** What the flow guard says and learns about one call. */
export interface CallFlow {
  /** As it is now: the user may have let such flows pass meanwhile. */
  look(): PermissionSubject['flow'];
  /** Lets flows pass until the conversation ends. */
  allow(finding: FlowFinding): void;
  /** Lets flows pass from now on. Returns a note when that cannot be kept. Contract: never rejects. */
  remember(finding: FlowFinding): Promise<string | undefined>;
}

/** What identifies a definition, and the grants for it. */
type DefinitionDetails = Pick<CallDetails, 'serverHash' | 'entryHash' | 'definitionHash'>;

/** Decides whether a call may be made: by the settings, and where they say so by asking the user. */
export class PermissionGuard implements AsyncDisposable {
  readonly #options: PermissionGuardOptions;
  readonly #grants: AllowedDefinitions;
  readonly #queue = new QuestionQueue();
  /** Questions to users of others, by who asks them: nobody waits for the answer of another user. */
  readonly #othersQueues = new Map<AskPermission, { readonly queue: QuestionQueue; questions: number }>();
  /** Outcomes that hold without another check, by tool name. */
  readonly #allowed = new Map<string, Known>();
  readonly #typed = new Map<string, Known>();
  /** Tools that the user allowed for this session: name, and hash of the server's config. */
  readonly #answered = new Map<string, string>();
  #settings: PermissionSettings;
  /** Cache of `explain`, dropped on every change. */
  #explained = new WeakMap<PermissionSubject, Decision>();
  /** Grows with each `forget`: a check that began before one is not cached. */
  #round = 0;

  constructor(options: PermissionGuardOptions) {
    this.#options = options;
    this.#grants = options.grants ?? new AllowedDefinitions({ file: undefined });
    this.#settings = options.settings();
  }

  /**
   * The decision that allowed this tool before, where it holds for this call without another look: `check` would return
   * it, and with no note.
   */
  allowedBefore(subject: PermissionSubject, serverHash: string | undefined): Decision | undefined {
    if (this.#options.settings() !== this.#settings) return undefined;
    const known = (subject.isTyped ? this.#typed : this.#allowed).get(subject.name);
    return known?.subject === subject && known.serverHash === serverHash ? known.decision : undefined;
  }

  /** Synchronous, unless the user must be asked or the definition compared. Never rejects. */
  check(subject: PermissionSubject, details: CallDetails): PermissionOutcome | Promise<PermissionOutcome> {
    const settings = this.#options.settings();
    if (settings !== this.#settings) this.forget();
    const known = (subject.isTyped ? this.#typed : this.#allowed).get(subject.name);
    if (known && known.serverHash === details.serverHash && isSame(known.subject, subject)) return known.verdict;
    const decision = this.#decide(subject, details);
    if (decision.behavior === 'deny') return denied(subject, decision);
    if (decision.behavior === 'allow' && !isPinned(subject, details, decision) && subject.isUnpinned !== true)
      return this.#allow(subject, details, decision);
    if (decision.behavior === 'ask' && !this.#askerOf(details)) return deniedWithoutUser(subject, decision);
    // A question is asked at once, by the cached definition; the server is started only for what may be called.
    return this.#settle(subject, details, decision.behavior === 'allow' ? 'listed' : 'cached');
  }

  /** The current settings. */
  get settings(): PermissionSettings {
    return this.#options.settings();
  }

  /** The decision, without asking the user. */
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
   * The decision that a call would get: an allowed tool is compared, as its server lists it in this run, with what the
   * user allowed. Asks no question, remembers nothing, never rejects.
   */
  async foresee(subject: PermissionSubject, details: DefinitionDetails): Promise<Decision> {
    const decision = this.#decide(subject, details);
    const isLookedAt = subject.isUnpinned === true || isPinned(subject, details, decision);
    if (decision.behavior !== 'allow' || subject.isTyped || !isLookedAt) return decision;
    const isFirst = this.#grants.find(keyOf(subject, details)) === undefined;
    if (isFirst && subject.isUnpinned !== true) return decision;
    return this.#decide(subject, details, (await this.compareDefinition(subject, details)) ?? 'unknown');
  }

  /** Records this definition as the one that the user has allowed. */
  accept(subject: PermissionSubject, details: DefinitionDetails, { hash }: ComparedDefinition): void {
    this.#grants.remember(keyOf(subject, details), hash);
    this.forget();
  }

  /** Drops cached outcomes, because a tool list or the settings changed. The user's answers stay. */
  forget(): void {
    this.#settings = this.#options.settings();
    this.#round++;
    this.#allowed.clear();
    this.#typed.clear();
    this.#explained = new WeakMap();
  }

  /** The user cannot be asked any more: pending questions are denied. */
  withdraw(): void {
    this.#queue.close();
    for (const { queue } of this.#othersQueues.values()) queue.close();
  }

  /** Resolves when all grants are written. Never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#grants[Symbol.asyncDispose]();
  }

  async #settle(subject: PermissionSubject, details: CallDetails, as: 'cached' | 'listed'): Promise<PermissionOutcome> {
    const round = this.#round;
    const definition = await this.compareDefinition(subject, details, as);
    const decision = this.#decide(subject, details, definition ?? 'unknown');
    if (decision.behavior === 'deny') return denied(subject, decision);
    if (decision.behavior === 'allow') {
      // A new tool that only mode bypass allows is not recorded as accepted: a later run still asks about it.
      const isSeen = decision.isExact === true || !isNewTo(subject, definition);
      if (definition && !definition.change && isSeen) this.#grant(definition);
      return round === this.#round ? this.#allow(subject, details, decision) : { kind: 'allowed', decision };
    }
    // Read after the hash, and before the question waits for its turn: a slow server must not hold up other questions.
    const stated = await details.statedHints?.();
    return this.#ask({ subject, details, definition, decision, stated });
  }

  async #ask(asking: Asking): Promise<PermissionOutcome> {
    const { subject, details, decision } = asking;
    const ask = this.#askerOf(details);
    if (!ask) return deniedWithoutUser(subject, decision);
    const asked = await this.#inTurn(ask, (queue) =>
      queue.put((signal) => this.#askWithTurn(asking, ask, signal), details.signal),
    );
    if (asked.kind !== 'answered') return deniedUnanswered(subject, decision, asked);
    const { verdict, isForGood, finding } = asked.answer;
    const note = isForGood ? await (finding ? details.flow?.remember(finding) : this.#write(subject.name)) : undefined;
    return note === undefined || verdict.kind === 'denied' ? verdict : { ...verdict, note };
  }

  async #inTurn<Asked>(ask: AskPermission, put: (queue: QuestionQueue) => Promise<Asked>): Promise<Asked> {
    if (ask === this.#options.ask) return put(this.#queue);
    const others = this.#othersQueues.get(ask) ?? { queue: new QuestionQueue(), questions: 0 };
    this.#othersQueues.set(ask, others);
    others.questions++;
    const asked = await put(others.queue);
    if (--others.questions === 0) this.#othersQueues.delete(ask);
    return asked;
  }

  /** Asks the user, when it is this question's turn. An answer takes effect before the next question is decided. */
  async #askWithTurn(
    { subject: asked, details, definition, stated }: Asking,
    ask: AskPermission,
    signal: AbortSignal,
  ): Promise<Answered> {
    // The user may have answered for another call of the tool, or about such flows, meanwhile.
    const subject = asked.flow ? { ...asked, flow: details.flow?.look() } : asked;
    const current = definition && this.#compare(definition.key, definition.hash);
    const decision = this.#decide(subject, details, current ?? 'unknown');
    if (decision.behavior === 'deny') return { verdict: denied(subject, decision) };
    if (decision.behavior === 'allow') return { verdict: { kind: 'allowed', decision } };
    const { callId, input } = details;
    const isForOneCall = ask !== this.#options.ask;
    const parts = { subject, decision, callId, input, change: current?.change, stated, isForOneCall };
    const question = toPermissionQuestion(parts);
    const answer = readPermissionAnswer(await ask(question, signal), question.offers);
    if (answer.kind === 'deny') return { verdict: deniedByPerson(subject, answer) };
    if (current && (await hashOf(details, 'listed')) !== current.hash) return { verdict: deniedAsChanged(subject) };
    // A rule that was written meanwhile outweighs the yes.
    const later = this.#decide(subject, details, current ?? 'unknown');
    if (later.behavior === 'deny') return { verdict: denied(subject, later) };
    // The call was cancelled, or allowed once: nothing is remembered.
    const verdict = answer.input === undefined ? ALLOWED : { ...ALLOWED, input: answer.input };
    if (signal.aborted || answer.remember === 'once') return { verdict };
    const isForGood = answer.remember === 'always';
    if (decision.by.kind === 'flow' && subject.flow) {
      const { finding } = subject.flow;
      details.flow?.allow(finding);
      return { verdict, isForGood, finding };
    }
    this.#answered.set(subject.name, details.serverHash ?? '');
    this.#explained = new WeakMap();
    this.#grant(current);
    return { verdict, isForGood };
  }

  #askerOf({ ask }: CallDetails): AskPermission | undefined {
    return this.#options.ask ?? ask;
  }

  /** Writes the rule; returns a note when that fails. The rule holds for this session in any case. */
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

  /** `definition` undefined: not compared yet; `unknown`: compared, but not available. */
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
    (subject.isTyped ? this.#typed : this.#allowed).set(subject.name, { subject, serverHash, decision, verdict });
    return verdict;
  }

  /** The tool's definition compared with what the user allowed; undefined when it is unknown. Never rejects. */
  async compareDefinition(
    subject: PermissionSubject,
    details: DefinitionDetails,
    as: 'cached' | 'listed' = 'listed',
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
  readonly decision: Decision;
  readonly verdict: PermissionOutcome;
}

/** A tool's definition compared with what the user allowed. */
export interface ComparedDefinition {
  /** The hash of the definition as the server gives it now. */
  readonly hash: string;
  /** The hash that the user allowed; undefined: none yet. */
  readonly before: string | undefined;
  /** What differs, in words. */
  readonly change: readonly string[] | undefined;
}

interface Definition extends ComparedDefinition {
  readonly key: AllowedToolKey;
}

interface Answered {
  readonly verdict: PermissionOutcome;
  /** A permanent rule is to be written. */
  readonly isForGood?: boolean;
  /** The flow that the answer is for; undefined: it is for the tool. */
  readonly finding?: FlowFinding;
}

const ALLOWED: Extract<PermissionOutcome, { readonly kind: 'allowed' }> = {
  kind: 'allowed',
  decision: { behavior: 'allow', by: { kind: 'person' }, reason: 'you allowed it' },
};

function keyOf({ server, name }: PermissionSubject, { serverHash, entryHash }: DefinitionDetails): AllowedToolKey {
  const formerly = serverHash ?? server ?? '';
  return { server: entryHash?.() ?? formerly, formerly, name };
}

async function hashOf({ definitionHash }: DefinitionDetails, as: 'cached' | 'listed'): Promise<string | undefined> {
  try {
    return await definitionHash?.(as);
  } catch {
    return undefined; // counts as unknown
  }
}

interface Asking {
  readonly subject: PermissionSubject;
  readonly details: CallDetails;
  readonly definition: Definition | undefined;
  readonly decision: Decision;
  readonly stated: StatedHints | undefined;
}

/** Whether the tool was added after its server was pinned, and this definition has not been allowed. */
function isNewTo({ isUnpinned }: PermissionSubject, definition: Definition | undefined): boolean {
  return isUnpinned === true && (definition === undefined || definition.before !== definition.hash);
}

/** Whether this decision permits a tool only with the definition that the user saw. */
function isPinned({ server }: PermissionSubject, { definitionHash }: DefinitionDetails, { by }: Decision): boolean {
  if (server === undefined || !definitionHash) return false;
  return by.kind === 'rule' || by.kind === 'trust' || by.kind === 'session';
}

/** Whether a decision about one subject also holds for the other. */
function isSame(one: PermissionSubject, other: PermissionSubject): boolean {
  if (one === other) return true;
  return (
    one.server === other.server &&
    one.tool === other.tool &&
    one.alias === other.alias &&
    one.skill?.join() === other.skill?.join() &&
    one.ownSkill?.join() === other.ownSkill?.join() &&
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
    one.isSecret === other.isSecret &&
    one.flow === other.flow
  );
}
