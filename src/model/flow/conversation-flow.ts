import { isObject } from '../../base/json.js';
import { thrownText } from '../../base/thrown-text.js';
import {
  FILE_TOOL,
  type FlowCopy,
  type FlowFinding,
  flowNameOf,
  MOST_COPIES,
  type FlowReading,
  type FlowSource,
} from './flow-finding.js';
import { type FlowRecord, parseFlowLine } from './flow-record.js';
import { type FlowMode, isFlowAllowed, parseFlowRule, toFlowRule } from './flow-settings.js';
import { type InputCopy, inputCopies } from './input-copies.js';
import { inputTexts } from './input-texts.js';
import { hashOfPlace, type Reading, ReadTexts } from './read-texts.js';
import type { Symbols } from './symbols.js';

/** Where a text is from. */
export type FlowOrigin = Pick<Reading, 'source' | 'isOutside' | 'isForeign'>;

/** A result that a model reads. */
export interface ReadResult extends FlowOrigin {
  readonly texts: readonly string[];
  /** Files with the parts of the result that the model does not read yet. */
  readonly saved?: readonly string[] | undefined;
}

/** A call that can send data out. */
export interface FlowSink extends FlowSource {
  /** The tool states that it reaches nothing beyond its server. */
  readonly isClosed: boolean;
  /** The server is not the user's. */
  readonly isForeign: boolean;
}

export interface FindFlowOptions {
  readonly mode: Exclude<FlowMode, 'off'>;
  /** The rules of the settings: for all servers, and for those of the user alone. */
  readonly allow: readonly string[];
  readonly ownAllow: readonly string[];
}

/** What a conversation has read, where from, and whether a call would send it out. No content is kept. */
export class ConversationFlow {
  readonly #symbols: Symbols;
  readonly #texts: ReadTexts;
  /** Whose text is in which file. */
  readonly #files = new Map<string, FlowOrigin>();
  /** What may pass until the conversation ends, as `wayOf` gives it. */
  readonly #allowed = new Set<string>();
  /** What an answer to a finding lets pass. */
  readonly #ways = new WeakMap<FlowFinding, readonly string[]>();
  #turn = 0;
  #isMarked = false;
  /** Whether the last comparison met text that a rule or an answer lets pass. */
  #hasMetLet = false;

  constructor(symbols: Symbols) {
    this.#symbols = symbols;
    this.#texts = new ReadTexts(symbols);
  }

  /** Whether text from outside has been read. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  get fingerprintCount(): number {
    return this.#texts.fingerprintCount;
  }

  /** The model begins another turn. */
  nextTurn(): void {
    this.#turn++;
  }

  /**
   * From now on every call that can send data out is asked about, because not all that was read can be compared. Returns
   * what has to be kept.
   */
  fail(reason: string): FlowRecord {
    this.#isMarked = true;
    return this.miss(reason);
  }

  /** Something was read and not taken over. Returns what has to be kept. */
  miss(reason: string): FlowRecord {
    this.#texts.fail(reason);
    return { isTyped: true, prints: [], names: [], secrets: [], fault: reason };
  }

  /** Takes over what the model reads. Returns what has to be kept of it. */
  read({ source, isOutside, isForeign, texts, saved = [] }: ReadResult): FlowRecord {
    this.#isMarked ||= isOutside;
    this.#keepFiles(saved, { source, isOutside, isForeign });
    const before = this.#texts.fault;
    const record = this.#texts.add({ source, isOutside, isForeign, turn: this.#turn }, texts);
    const { fault } = this.#texts;
    return { ...record, saved, ...(fault !== before && { fault }) };
  }

  /** Whose text is in a file that a result was saved to. */
  savedIn(path: string): FlowOrigin | undefined {
    return this.#files.get(path);
  }

  /** Takes over words that the user wrote. Returns what has to be kept. */
  typed(text: string): FlowRecord {
    return this.#texts.addTyped(text);
  }

  /** Takes over an input that was sent: what the model wrote itself, a server may repeat. */
  sent(input: unknown): void {
    const texts = inputTexts(input, BOUNDS);
    if (texts) this.#texts.addWritten(texts.values.map(({ text }) => text).join('\n'));
  }

  /** Lets what was found pass until the conversation ends. */
  allow(finding: FlowFinding): void {
    for (const way of this.#ways.get(finding) ?? []) this.#allowed.add(way);
  }

  /** Goes on with what `read` and `typed` have given, as `toFlowLine` writes it. Returns how many lines could not be read. */
  restore(lines: readonly unknown[]): number {
    const records = lines.map((line) => parseFlowLine(line));
    for (const record of records) if (record) this.#restoreOne(record);
    const unread = records.filter((record) => record === undefined).length;
    if (unread > 0) this.fail('a part of what was read before cannot be restored');
    return unread;
  }

  #restoreOne(record: FlowRecord): void {
    this.#texts.restore(record);
    if (record.fault !== undefined) this.#texts.fail(record.fault);
    if ('isTyped' in record) return;
    this.#isMarked ||= record.isOutside;
    // The turn in which the model has answered, which is not kept.
    this.#turn = Math.max(this.#turn, record.turn + 1);
    this.#keepFiles(record.saved ?? [], record);
  }

  #keepFiles(paths: readonly string[], { source, isOutside, isForeign }: FlowOrigin): void {
    const origin = { source, isOutside, isForeign };
    for (const path of paths) if (this.#files.size < FILES) this.#files.set(path, origin);
  }

  /** Why a call may not be made without a question; undefined: it may. Never throws. */
  find(sink: FlowSink, input: unknown, options: FindFlowOptions): FlowFinding | undefined {
    this.#hasMetLet = false;
    if (!this.#isMarked) return undefined;
    const isLet = this.#letting(sink, options);
    try {
      const copies = this.#copies(sink, input, isLet);
      const { fault = copies ? undefined : TOO_LONG } = this.#texts;
      // What is known to be copied is told also where the rest is unknown.
      if (fault !== undefined) return this.#fault(fault, copies ?? [], sink);
      if (copies && copies.length > 0) return this.#finding('copy', copies, sink);
      if (options.mode !== 'strict') return undefined;
      const outside = this.#texts.outsideBut(flowNameOf(sink));
      return !outside || isLet(outside) ? undefined : this.#finding('strict', [], sink, outside);
    } catch (cause) {
      return this.#fault(`it failed: ${thrownText(cause)}`, [], sink);
    }
  }

  /**
   * What leaves with a call because a rule or an answer lets it pass, for the record: to be asked after `find` with the
   * same call. Never throws.
   */
  findLet(sink: FlowSink, input: unknown): FlowFinding | undefined {
    if (!this.#hasMetLet) return undefined;
    try {
      const copies = this.#copies(sink, input, () => false) ?? [];
      return copies.length > 0 ? this.#finding('copy', copies, sink) : undefined;
    } catch {
      return undefined; // `find` has said that it fails
    }
  }

  /** Whether text of a reading may go to a sink without a question. */
  #letting(sink: FlowSink, { allow, ownAllow }: FindFlowOptions): (reading: Reading) => boolean {
    const forOwn = sink.isForeign ? allow : [...allow, ...ownAllow];
    const to = flowNameOf(sink);
    return (reading) => {
      if (this.#allowed.has(wayOf(reading, sink))) return true;
      const { source, isForeign } = reading;
      const isNamed = !isMisleading(source) && !isMisleading(sink);
      return isNamed && isFlowAllowed(isForeign ? allow : forOwn, { from: flowNameOf(source), to });
    };
  }

  /** Undefined where they are too long to be compared. */
  #copies(sink: FlowSink, input: unknown, isLet: (reading: Reading) => boolean): readonly InputCopy[] | undefined {
    const texts = isObject(input) ? inputTexts(input, BOUNDS) : undefined;
    const isStopped = (reading: Reading): boolean => {
      const isAllowed = isLet(reading);
      this.#hasMetLet ||= isAllowed;
      return !isAllowed;
    };
    const isCounted = (reading: Reading): boolean => isElsewhere(reading, sink) && isStopped(reading);
    const isSecretCounted = (reading: Reading): boolean =>
      (isElsewhere(reading, sink) || !sink.isClosed) && isStopped(reading);
    return (
      texts &&
      inputCopies(texts, {
        known: this.#texts,
        limit: BOUNDS.characters,
        symbols: this.#symbols,
        to: hashOfPlace({ source: sink, isForeign: sink.isForeign }),
        isCounted: memo((number) => isCounted(this.#texts.reading(number))),
        isSecretCounted: memo((number) => isSecretCounted(this.#texts.reading(number))),
      })
    );
  }

  #finding(
    kind: 'copy' | 'strict',
    found: readonly InputCopy[],
    sink: FlowSink,
    outside = this.#texts.firstOutside,
  ): FlowFinding {
    const from = found.length > 0 ? this.#readingsOf(found) : outside ? [outside] : [];
    const rules = new Set(from.map(({ source }) => toFlowRule({ from: flowNameOf(source), to: flowNameOf(sink) })));
    const isForeign = sink.isForeign || from.some((reading) => reading.isForeign);
    const isWritable = !isMisleading(sink) && !from.some(({ source }) => isMisleading(source));
    const scope = isForeign ? 'local' : 'user';
    const finding: FlowFinding = {
      kind,
      outside: this.#outside(outside),
      copies: this.#toCopies(found),
      rules: [...rules],
      ...(isWritable && { scope }),
    };
    this.#ways.set(
      finding,
      from.map((reading) => wayOf(reading, sink)),
    );
    return finding;
  }

  #fault(fault: string, found: readonly InputCopy[], sink: FlowSink): FlowFinding {
    const { scope: _, ...finding } = this.#finding('copy', found, sink);
    return { ...finding, kind: 'fault', rules: found.length > 0 ? finding.rules : [], fault };
  }

  #readingsOf(found: readonly InputCopy[]): readonly Reading[] {
    return [...new Set(found.map(({ reading }) => reading))].map((number) => this.#texts.reading(number));
  }

  /** The copies to show: secrets first, then one of each reading, so that many of one do not hide another. */
  #toCopies(found: readonly InputCopy[]): readonly FlowCopy[] {
    const first = new Map(found.toReversed().map((copy) => [copy.reading, copy]));
    const rankOf = (copy: InputCopy): number => (copy.isSecret ? 0 : first.get(copy.reading) === copy ? 1 : 2);
    return found
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .slice(0, MOST_COPIES)
      .map(({ argument, text, encoding, reading, isSecret }) => ({
        argument,
        text,
        ...(encoding && { encoding }),
        from: this.#toReading(this.#texts.reading(reading)),
        isSecret,
      }));
  }

  #outside(outside = this.#texts.firstOutside): FlowReading {
    return outside ? this.#toReading(outside) : { tool: 'elsewhere', turnsAgo: 0 };
  }

  #toReading({ source, turn }: Reading): FlowReading {
    return { ...source, turnsAgo: Math.max(0, this.#turn - turn) };
  }
}

/** From where to where, and whose servers these are: no pattern, whatever the servers are called. */
function wayOf({ source, isForeign }: Reading, sink: FlowSink): string {
  return JSON.stringify([source.server, flowNameOf(source), isForeign, sink.server, flowNameOf(sink), sink.isForeign]);
}

/** Whether a rule with this name would mean something else. */
function isMisleading(source: FlowSource): boolean {
  const name = flowNameOf(source);
  const rule = parseFlowRule(toFlowRule({ from: name, to: name }));
  return name === '*' || rule?.from !== name || (source.server !== undefined && name === FILE_TOOL);
}

/** Whether a text came from anywhere but where it would go. */
function isElsewhere({ source, isForeign }: Reading, sink: FlowSink): boolean {
  return flowNameOf(source) !== flowNameOf(sink) || isForeign !== sink.isForeign;
}

function memo(test: (reading: number) => boolean): (reading: number) => boolean {
  const known = new Map<number, boolean>();
  return (reading) => {
    const before = known.get(reading);
    if (before !== undefined) return before;
    const result = test(reading);
    known.set(reading, result);
    return result;
  };
}

const TOO_LONG = 'it has more than 2000000 characters, 200000 values or 200 levels, or too much that is encoded';
const BOUNDS = { characters: 2_000_000, values: 200_000 }; // comparing takes 25 to 230 ms a megabyte
const FILES = 100_000;
