import { isObject } from '../../base/json.js';
import { thrownText } from '../../base/thrown-text.js';
import { type DecodedForm, decodedForms, type FlowEncoding } from './decoded-forms.js';
import { findCopies, type FindCopiesOptions, type FoundCopy } from './find-copies.js';
import {
  FILE_TOOL,
  type FlowCopy,
  type FlowFinding,
  flowNameOf,
  type FlowReading,
  type FlowSource,
} from './flow-finding.js';
import { type FlowRecord, parseFlowLine, toFlowLine } from './flow-record.js';
import { type FlowMode, isFlowAllowed, parseFlowRule, toFlowRule } from './flow-settings.js';
import { type ArgumentText, inputTexts, type InputTexts } from './input-texts.js';
import { plainForm } from './plain-form.js';
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
   * what has to be kept, as JSON.
   */
  fail(reason: string): object {
    this.#isMarked = true;
    this.#texts.fail(reason);
    return toFlowLine({ isTyped: true, prints: [], names: [], secrets: [], fault: reason });
  }

  /** Takes over what the model reads. Returns what has to be kept of it, as JSON. */
  read({ source, isOutside, isForeign, texts, saved = [] }: ReadResult): object {
    this.#isMarked ||= isOutside;
    this.#keepFiles(saved, { source, isOutside, isForeign });
    const before = this.#texts.fault;
    const record = this.#texts.add({ source, isOutside, isForeign, turn: this.#turn }, texts);
    const { fault } = this.#texts;
    return toFlowLine({ ...record, saved, ...(fault !== before && { fault }) });
  }

  /** Whose text is in a file that a result was saved to. */
  savedIn(path: string): FlowOrigin | undefined {
    return this.#files.get(path);
  }

  /** Takes over words that the user wrote. Returns what has to be kept, as JSON. */
  typed(text: string): object {
    return toFlowLine(this.#texts.addTyped(text));
  }

  /** Takes over an input that was sent: what the model wrote itself, a server may repeat. */
  sent(input: unknown): void {
    const texts = inputTexts(input, BOUNDS);
    if (texts) this.#texts.addWritten(join(texts.values, '\n').text);
  }

  /** Lets what was found pass until the conversation ends. */
  allow(finding: FlowFinding): void {
    for (const way of this.#ways.get(finding) ?? []) this.#allowed.add(way);
  }

  /** Goes on with what `read` and `typed` have given. Returns how many lines could not be read. */
  restore(lines: readonly unknown[]): number {
    const records = lines.map((line) => parseFlowLine(line));
    for (const record of records) if (record) this.#restoreOne(record);
    const unread = records.filter((record) => record === undefined).length;
    if (unread > 0) this.fail('a part of what was read before cannot be restored');
    return unread;
  }

  #restoreOne(record: FlowRecord): void {
    this.#texts.restore(record);
    if (record.fault !== undefined) this.fail(record.fault);
    if ('isTyped' in record) return;
    this.#isMarked ||= record.isOutside;
    this.#turn = Math.max(this.#turn, record.turn);
    this.#keepFiles(record.saved ?? [], record);
  }

  #keepFiles(paths: readonly string[], { source, isOutside, isForeign }: FlowOrigin): void {
    const origin = { source, isOutside, isForeign };
    for (const path of paths) if (this.#files.size < FILES) this.#files.set(path, origin);
  }

  /** Why a call may not be made without a question; undefined: it may. Never throws. */
  find(sink: FlowSink, input: unknown, { mode, allow, ownAllow }: FindFlowOptions): FlowFinding | undefined {
    if (!this.#isMarked) return undefined;
    const to = flowNameOf(sink);
    const forOwn = sink.isForeign ? allow : [...allow, ...ownAllow];
    const isLet = (reading: Reading): boolean => {
      if (this.#allowed.has(wayOf(reading, sink))) return true;
      const { source, isForeign } = reading;
      const isNamed = !isMisleading(source) && !isMisleading(sink);
      return isNamed && isFlowAllowed(isForeign ? allow : forOwn, { from: flowNameOf(source), to });
    };
    try {
      const { fault } = this.#texts;
      if (fault !== undefined) return this.#fault(fault);
      const texts = isObject(input) ? inputTexts(input, BOUNDS) : undefined;
      if (!texts) return this.#fault(`it has more than ${BOUNDS.characters} characters or ${BOUNDS.values} values`);
      const isCounted = (reading: Reading): boolean => isElsewhere(reading, sink) && !isLet(reading);
      const isSecretCounted = (reading: Reading): boolean =>
        (isElsewhere(reading, sink) || !sink.isClosed) && !isLet(reading);
      const copies = this.#copies(texts, {
        symbols: this.#symbols,
        to: hashOfPlace({ source: sink, isForeign: sink.isForeign }),
        isCounted: memo((number) => isCounted(this.#texts.reading(number))),
        isSecretCounted: memo((number) => isSecretCounted(this.#texts.reading(number))),
      });
      if (!copies) return this.#fault('what is encoded in it is too long');
      if (copies.length > 0) return this.#finding('copy', copies, sink);
      if (mode !== 'strict') return undefined;
      const outside = this.#texts.outsideBut(to);
      return !outside || isLet(outside) ? undefined : this.#finding('strict', [], sink, outside);
    } catch (cause) {
      return this.#fault(`it failed: ${thrownText(cause)}`);
    }
  }

  /** Undefined where they are too long to be compared. */
  #copies(texts: InputTexts, options: FindCopiesOptions): readonly FoundFlow[] | undefined {
    const found: FoundFlow[] = [];
    const look = (joined: Joined, encoding?: FlowEncoding): void => {
      const copies = findCopies(this.#texts, joined.text, options);
      found.push(...copies.map((copy) => this.#toCopy(copy, joined, encoding)));
    };
    let left = BOUNDS.characters;
    const shortest = this.#texts.hasSecrets ? SHORTEST_SECRET : SHORTEST_COPY;
    const lookInside = (source: Joined): boolean => {
      const forms = decodedForms(source.text, { limit: left, shortest });
      const whole = { text: source.text, at: 0, length: source.text.length, encoding: undefined };
      for (const { text, encoding, ...place } of [whole, ...(forms ?? [])]) {
        const plain = plainForm(text);
        if (encoding) look(spreadOver(text, source, place), encoding);
        if (plain !== undefined) look(spreadOver(plain, source, place), encoding);
        left -= (encoding ? text.length : 0) + (plain?.length ?? 0);
      }
      return forms !== undefined && left >= 0;
    };
    for (const parts of [texts.values, texts.names]) {
      look(join(parts, '\n'));
      for (const part of parts) if (part.text.length >= SHORT && !lookInside(join([part], ''))) return undefined;
      // What is encoded may be spread over several values.
      const short = parts.filter(({ text }) => text.length < SPREAD);
      if (short.length > 1 && !lookInside(join(short, ''))) return undefined;
    }
    // A text may be spread over names and values, as a form is. Long ones are compared by themselves.
    if (texts.names.length > 1) look(join(texts.all.map(withoutMiddle), '\n'));
    return distinct(found).slice(0, COPIES);
  }

  #toCopy({ from, to, reading: number, isSecret }: FoundCopy, joined: Joined, encoding?: FlowEncoding): FoundFlow {
    const first = partAt(joined, from);
    // The letters before a copy may happen to be those that were before it where it was read.
    const isBefore = first.end - from < SHORT && first.end < to;
    const { argument, begin, end } = isBefore ? partAt(joined, first.end) : first;
    const reading = this.#texts.reading(number);
    const copy = {
      argument,
      text: inWords(joined.text.slice(begin, end), Math.max(0, from - begin), Math.min(to, end) - begin).slice(
        0,
        EXCERPT,
      ),
      ...(encoding && { encoding }),
      from: this.#toReading(reading),
      isSecret,
    };
    return { copy, reading };
  }

  #finding(
    kind: 'copy' | 'strict',
    found: readonly FoundFlow[],
    sink: FlowSink,
    outside = this.#texts.firstOutside,
  ): FlowFinding {
    const from = found.length > 0 ? found.map(({ reading }) => reading) : outside ? [outside] : [];
    const rules = new Set(from.map(({ source }) => toFlowRule({ from: flowNameOf(source), to: flowNameOf(sink) })));
    const isForeign = sink.isForeign || from.some((reading) => reading.isForeign);
    const isWritable = !isMisleading(sink) && !from.some(({ source }) => isMisleading(source));
    const scope = isForeign ? 'local' : 'user';
    const finding: FlowFinding = {
      kind,
      outside: this.#outside(outside),
      copies: found.map(({ copy }) => copy),
      rules: [...rules],
      ...(isWritable && { scope }),
    };
    this.#ways.set(
      finding,
      from.map((reading) => wayOf(reading, sink)),
    );
    return finding;
  }

  #fault(fault: string): FlowFinding {
    return { kind: 'fault', outside: this.#outside(), copies: [], rules: [], fault };
  }

  #outside(outside = this.#texts.firstOutside): FlowReading {
    return outside ? this.#toReading(outside) : { tool: 'elsewhere', turnsAgo: 0 };
  }

  #toReading({ source, turn }: Reading): FlowReading {
    return { ...source, turnsAgo: Math.max(0, this.#turn - turn) };
  }
}

interface FoundFlow {
  readonly copy: FlowCopy;
  readonly reading: Reading;
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

/** Texts as one, and where each begins. */
interface Joined {
  readonly text: string;
  readonly parts: readonly { readonly argument: string; readonly from: number }[];
}

function join(texts: readonly ArgumentText[], between: string): Joined {
  let from = 0;
  const parts = texts.map(({ argument, text }) => {
    const part = { argument, from };
    from += text.length + between.length;
    return part;
  });
  return { text: texts.map(({ text }) => text).join(between), parts };
}

/** A text that was made of a part of another one, as far as it is known which argument has what of it. */
function spreadOver(text: string, { parts }: Joined, { at, length }: Pick<DecodedForm, 'at' | 'length'>): Joined {
  const scale = text.length / Math.max(1, length);
  const placed = [];
  for (let index = indexAt(parts, at); index < parts.length && parts[index]!.from < at + length; index++) {
    const { argument, from } = parts[index]!;
    placed.push({ argument, from: Math.floor((from - at) * scale) });
  }
  return { text, parts: placed };
}

function withoutMiddle({ argument, text }: ArgumentText): ArgumentText {
  if (text.length <= 2 * SPREAD) return { argument, text };
  return { argument, text: `${text.slice(0, SPREAD)}\n${text.slice(-SPREAD)}` };
}

function partAt(
  { text, parts }: Joined,
  at: number,
): { readonly argument: string; readonly begin: number; readonly end: number } {
  const index = indexAt(parts, at);
  const { argument = '', from: begin = 0 } = parts[index] ?? {};
  return { argument, begin, end: parts[index + 1]?.from ?? text.length };
}

/** The part that has a place: the last one that begins there or before. */
function indexAt(parts: Joined['parts'], at: number): number {
  let [index, after] = [0, parts.length];
  while (after - index > 1) {
    const middle = (index + after) >> 1;
    if (parts[middle]!.from <= at) index = middle;
    else after = middle;
  }
  return index;
}

/** A part of a text with the rest of the words at its ends, which fingerprints leave out. */
function inWords(text: string, from: number, to: number): string {
  const before = /[\p{L}\p{N}]{0,20}$/u.exec(text.slice(Math.max(0, from - 20), from))![0];
  const after = /^[\p{L}\p{N}]{0,20}/u.exec(text.slice(to, to + 20))![0];
  return before + text.slice(from, to) + after;
}

/** Without what was found twice, as it is and within something decoded. */
function distinct(found: readonly FoundFlow[]): FoundFlow[] {
  const seen = new Map(found.toReversed().map((one) => [`${one.copy.argument} ${one.copy.text}`, one]));
  return [...seen.values()].toReversed();
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

const BOUNDS = { characters: 2_000_000, values: 200_000 }; // 50 ms of comparing
const SHORT = 16; // characters of a value that may have a form of its own
const SHORTEST_COPY = 40; // characters of base64: 30 bytes are no copy
const SHORTEST_SECRET = 24;
const SPREAD = 256; // what is encoded in a longer value is found in it alone
const COPIES = 20; // more are not shown
const EXCERPT = 200;
const FILES = 100_000;
