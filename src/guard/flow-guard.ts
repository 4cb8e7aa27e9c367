import { attempt } from '../base/attempt.js';
import { ConversationFlow, type FlowOrigin, type FlowSink, type ReadResult } from '../model/flow/conversation-flow.js';
import { type FlowFinding, flowReason } from '../model/flow/flow-finding.js';
import type { FlowMode, FlowSettings } from '../model/flow/flow-settings.js';
import { type FlowRecord, toFlowLine } from '../model/flow/flow-record.js';
import { inputTexts } from '../model/flow/input-texts.js';
import { gateLine } from '../model/text/text-gate.js';
import { Symbols } from '../model/flow/symbols.js';

export interface FlowGuardOptions {
  readonly settings: () => FlowSettings;
  /** Whether the user can be asked about calls of every conversation. */
  readonly canAsk: boolean;
  /** Called once, when the guard would be needed and is off because nobody can be asked. Contract: must not throw. */
  readonly onOff: (message: string) => void;
}

/** What the guard says about a call, for the decision about it. */
export interface FlowLook {
  readonly finding: FlowFinding;
  /** Denied instead of asked about. */
  readonly isDenied: boolean;
  /** A rule or an answer lets it pass: it is only recorded. */
  readonly isLet?: boolean;
}

/** How a conversation is followed. */
export interface FollowFlowOptions {
  /** What `onRecord` was given when the conversation was held before. */
  readonly restored?: readonly unknown[] | undefined;
  /**
   * Called with what has to be kept of each reading: JSON with names and hashes, from which short texts can be guessed.
   * Contract: must not throw.
   */
  readonly onRecord?: ((record: object) => void) | undefined;
}

/**
 * Watches what conversations read from outside, and says which calls would send out what was read. A host is one
 * conversation, unless calls name others.
 */
export class FlowGuard {
  readonly #options: FlowGuardOptions;
  readonly #conversations = new Map<string, Followed>();
  readonly #symbols = new Symbols();
  /** Fingerprints of all conversations. */
  #size = 0;
  /** Names of conversations that were dropped for room, with something read. */
  readonly #dropped = new Set<string>();
  /** Conversations that nobody follows, the oldest in use first. */
  readonly #free = new Set<string>();
  #isOffTold = false;

  constructor(options: FlowGuardOptions) {
    this.#options = options;
  }

  /** Follows a conversation, which may have been held before, until the result is disposed of. */
  follow(name: string, { restored = [], onRecord }: FollowFlowOptions): Disposable {
    const { followers, ...known } = this.#conversation(name);
    const { flow } = known;
    this.#conversations.set(name, { ...known, onRecord, followers: followers + 1 });
    this.#free.delete(name);
    this.#count(flow, () => flow.restore(restored));
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        const followed = this.#conversations.get(name);
        if (isOver || followed?.flow !== flow) return;
        isOver = true;
        if (followed.followers === 1) this.end(name);
        else this.#conversations.set(name, { ...followed, followers: followed.followers - 1 });
      },
    };
  }

  /** Forgets a conversation. */
  end(name: string): void {
    this.#size -= this.#conversations.get(name)?.flow.fingerprintCount ?? 0;
    this.#conversations.delete(name);
    this.#free.delete(name);
  }

  nextTurn(name: string): void {
    this.#conversations.get(name)?.flow.nextTurn();
  }

  /** Takes over words that the user wrote. */
  typed(name: string, text: string): void {
    if (!this.isWatched(name)) return;
    const { flow, onRecord } = this.#conversation(name);
    const record = this.#count(flow, () => flow.typed(text));
    keep(onRecord, record);
  }

  /** Takes over text from outside that no call has brought. */
  given(name: string, text: string, from: string): void {
    const origin = { source: { tool: from }, isOutside: true, isForeign: false };
    if (this.isWatched(name)) this.read(name, { ...origin, texts: [text] });
    else this.miss(name, origin);
  }

  /** Takes over what a model reads. `sent`: the input of the call, as far as it is the model's own words. */
  read(name: string, result: ReadResult, sent?: unknown): void {
    const followed = this.#conversation(name);
    const { flow, onRecord } = followed;
    if (this.#free.size > 1 && this.#free.delete(name)) this.#free.add(name);
    if (sent !== undefined) this.#count(flow, () => flow.sent(sent));
    const record = this.#count(flow, () => flow.read(result));
    keep(onRecord, record);
  }

  /** Takes over a result that is JSON of any shape: all texts in it. */
  readValue(name: string, from: FlowOrigin, value: unknown): void {
    const texts = inputTexts(value, VALUE_BOUNDS);
    if (texts) return this.read(name, { ...from, texts: texts.values.map(({ text }) => text) });
    this.read(name, { ...from, texts: [] });
    this.fail(name, 'a result is larger than it can hold');
  }

  /** From now on every call that can send data out is asked about. */
  fail(name: string, reason: string): void {
    const { flow, onRecord } = this.#conversation(name);
    const record = flow.fail(reason);
    keep(onRecord, record);
  }

  /** What servers outside the user's trust say of themselves was read: it marks, and is not compared. */
  mark(name: string, origin: FlowOrigin): void {
    if (!this.isMarked(name)) this.read(name, { ...origin, texts: [] });
  }

  /** Something was read while the guard is off. */
  miss(name: string, origin: FlowOrigin): void {
    if (origin.isOutside) this.mark(name, origin);
    const followed = this.#conversation(name);
    if (followed.isMissing) return;
    followed.isMissing = true;
    const record = followed.flow.miss('some of what was read was read while it was off');
    keep(followed.onRecord, record);
  }

  /** Whether text from outside was read while the guard is off: nothing more is to be known of the conversation. */
  knowsEnough(name: string): boolean {
    const known = this.#conversations.get(name);
    return known !== undefined && known.isMissing && known.flow.isMarked && !this.isWatched(name);
  }

  /** Whether `look` may find something about a call of this conversation, wherever the call goes. */
  mayFind(name: string, canAsk: boolean): boolean {
    return this.isMarked(name) && !this.#isSilent(this.#options.settings().mode, canAsk);
  }

  /** Whether nothing is looked for: switched off, or off because nobody can be asked, which was told. */
  #isSilent(mode: FlowMode | undefined, canAsk: boolean): boolean {
    return mode === 'off' || (mode === undefined && !canAsk && this.#isOffTold);
  }

  /** Whether text from outside has been read. */
  isMarked(name: string): boolean {
    return this.#conversation(name).flow.isMarked;
  }

  /** The user can be asked about calls of this conversation, though not by the host. */
  expectQuestions(name: string): void {
    this.#conversation(name).isAskable = true;
  }

  /** Whose text is in a file that a result was saved to. */
  savedIn(name: string, path: string): ReturnType<ConversationFlow['savedIn']> {
    return this.#conversations.get(name)?.flow.savedIn(path);
  }

  /** What is to be decided about a call; undefined: nothing. `canAsk`: whether the user can be asked about this call. */
  look(name: string, sink: FlowSink, input: unknown, canAsk: boolean): FlowLook | undefined {
    const { flow } = this.#conversation(name);
    const { mode: set, allow = [], ownAllow = [] } = this.#options.settings();
    if (set === 'off' || this.#isSilent(set, canAsk)) return undefined;
    const mode: Exclude<FlowMode, 'off'> = set ?? 'ask';
    const options = { mode, allow, ownAllow };
    const finding = flow.find(sink, input, options);
    if (!finding) {
      const passed = flow.findLet(sink, input);
      return passed && { finding: passed, isDenied: false, isLet: true };
    }
    if (set !== undefined || canAsk) return { finding, isDenied: mode === 'deny' };
    this.#tellOff(finding, sink);
    return undefined;
  }

  /** Lets what was found pass until the conversation ends. */
  allow(name: string, finding: FlowFinding): void {
    this.#conversations.get(name)?.flow.allow(finding);
  }

  /** Stays the same until the conversation ends. */
  identityOf(name: string): object {
    return this.#conversation(name).flow;
  }

  /** Whether what is read is kept for comparing. */
  isWatched(name: string): boolean {
    const { mode } = this.#options.settings();
    if (mode !== undefined) return mode !== 'off';
    const conversation = this.#conversations.get(name);
    // What is kept may go on where the user can be asked.
    return this.#options.canAsk || conversation?.isAskable === true || conversation?.onRecord !== undefined;
  }

  #conversation(name: string): Followed {
    const known = this.#conversations.get(name);
    if (known) return known;
    const flow = new ConversationFlow(this.#symbols);
    const made: Followed = { flow, onRecord: undefined, followers: 0, isAskable: false, isMissing: false };
    this.#conversations.set(name, made);
    this.#free.add(name);
    if (this.#dropped.has(name)) flow.fail('what this conversation read earlier had to make room for others');
    if (this.#free.size > CONVERSATIONS) this.#dropOldest(flow);
    return made;
  }

  /** Makes room: of a conversation that comes back, every call that can send data out is asked about. */
  #dropOldest(but: ConversationFlow): boolean {
    for (const name of this.#free) {
      const { flow } = this.#conversations.get(name)!;
      if (flow === but) continue;
      this.end(name);
      if (flow.isMarked || flow.fingerprintCount > 0) this.#dropped.add(name);
      const [oldest] = this.#dropped;
      if (this.#dropped.size > DROPPED && oldest !== undefined) this.#dropped.delete(oldest);
      return true;
    }
    return false;
  }

  #count<Result>(flow: ConversationFlow, add: () => Result): Result {
    const before = flow.fingerprintCount;
    const result = add();
    this.#size += flow.fingerprintCount - before;
    while (this.#size > FINGERPRINTS) {
      if (this.#dropOldest(flow)) continue;
      flow.fail('the conversations of this host have read more than it can hold');
      break;
    }
    return result;
  }

  #tellOff(finding: FlowFinding, { server, tool }: FlowSink): void {
    this.#isOffTold = true;
    const name = gateLine(server === undefined ? tool : `${server}.${tool}`, { limit: 100 }).text;
    this.#options.onOff(`${OFF} about this call of ${name}: ${flowReason(finding)}. ${SET}`);
  }
}

interface Followed {
  readonly flow: ConversationFlow;
  readonly onRecord: FollowFlowOptions['onRecord'];
  /** How many parts of its program still have to say that it ends. */
  readonly followers: number;
  /** The user can be asked about calls of this conversation, though not by the host. */
  isAskable: boolean;
  /** Something was read while the guard was off. */
  isMissing: boolean;
}

const OFF = 'The flow guard is off, because nobody can be asked. It would have asked';
const SET = 'Set flow.mode in your settings: "deny" denies such calls, "off" says nothing';
const VALUE_BOUNDS = { characters: 16_000_000, values: 1_000_000 };
const CONVERSATIONS = 10_000;
const DROPPED = 1_000_000; // names, in some 100 MB
const FINGERPRINTS = 8_000_000; // of all conversations: 128 MB

/** A listener that breaks its contract must not make a call that ran look as if it had not. */
function keep(onRecord: FollowFlowOptions['onRecord'], record: FlowRecord): void {
  if (onRecord) attempt(() => onRecord(toFlowLine(record)));
}
