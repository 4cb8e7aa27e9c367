import { isObject } from '../../src/base/json.js';

/** A request as its bytes were sent. */
export interface SentRequest {
  readonly text: string;
  /** Whether a model has answered to it; it has unless said otherwise. What nobody has answered may be taken back. */
  readonly isRead?: boolean;
}

export interface Growth {
  readonly steps: readonly Step[];
  /** Where a request is not what the one before it was, with something behind it. */
  readonly faults: readonly string[];
}

/** What a request has that the last one that was read had not, in its order; all of it for the first. */
export interface Step {
  /** Everything that is neither tools, system nor messages; only where all of it is new. */
  readonly head: Json | undefined;
  readonly tools: readonly unknown[];
  readonly system: readonly unknown[];
  readonly messages: readonly Unit[];
  /** What the request before it had in vain. */
  readonly takenBack: readonly Unit[];
}

/** A message, or a piece of one whose content is a list: such a message may still grow as long as it is the last one. */
export type Unit =
  | { readonly kind: 'message'; readonly text: string; readonly value: Json }
  | { readonly kind: 'open'; readonly text: string; readonly value: Json }
  | { readonly kind: 'block'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'close'; readonly text: string };

type Json = { readonly [field: string]: unknown };

/**
 * What the requests of one conversation have added to each other. Nothing else may be different: not a byte of a tool, of the system text or of a
 * message, not a mark for the cache, not another field, nor the order of anything. There is one exception: the messages of a request that
 * nobody has answered, because whoever has refused them would refuse them again.
 */
export function growth(requests: readonly SentRequest[]): Growth {
  const faults: string[] = [];
  const steps: Step[] = [];
  let base: Written | undefined;
  let vain: Written | undefined;
  for (const [at, { text, isRead = true }] of requests.entries()) {
    const written = read(text);
    if (typeof written === 'string') {
      faults.push(`request ${at + 1}: ${written}`);
      continue;
    }
    const before = base;
    if (before) faults.push(...compare(before, written).map((fault) => `request ${at + 1}: ${fault}`));
    steps.push(toStep(before, written, vain));
    vain = isRead ? undefined : written;
    // What is refused may still have brought tools along: those stay, answered or not.
    base = isRead ? written : { ...written, messages: before?.messages ?? [] };
  }
  return { steps, faults };
}

interface Written {
  readonly head: Json;
  readonly tools: readonly string[];
  readonly system: readonly string[];
  readonly messages: readonly Unit[];
}

function read(text: string): Written | string {
  const body = parse(text);
  if (!isObject(body)) return 'it is no JSON object';
  // So that the text of a part is the bytes that were sent for it.
  if (JSON.stringify(body) !== text) return 'its bytes are not those of its JSON written out';
  const { tools = [], system = [], messages, ...rest } = body;
  if (!Array.isArray(tools) || !Array.isArray(system) || !Array.isArray(messages))
    return 'its tools, system or messages are no list';
  return {
    // The order of all fields is a part of it: what stands before the messages is read before them.
    head: { ...rest, order: Object.keys(body).join(' ') },
    tools: tools.map(write),
    system: system.map(write),
    messages: openEnd(messages.flatMap(toUnits)),
  };
}

function toUnits(message: Json): readonly Unit[] {
  const { content } = message;
  if (!Array.isArray(content)) return [{ kind: 'message', text: write(message), value: message }];
  const value = { ...message, content: [] };
  return [
    { kind: 'open', text: write(value), value },
    ...content.map((block: unknown): Unit => ({ kind: 'block', text: write(block), value: block })),
    { kind: 'close', text: ']}' },
  ];
}

/** A message of the user that stands last is not over: the API reads what joins it as it reads a message of its own. */
function openEnd(units: readonly Unit[]): readonly Unit[] {
  return units.at(-1)?.kind === 'close' ? units.slice(0, -1) : units;
}

function compare(before: Written, after: Written): string[] {
  const [head, now] = [write(before.head), write(after.head)];
  return [
    ...(head === now ? [] : [`${head} has become ${now}`]),
    ...beginsWith(before.tools, after.tools, 'tools'),
    ...beginsWith(before.system, after.system, 'system'),
    ...(after.system.length > before.system.length ? ['system: something has joined it'] : []),
    ...beginsWith(before.messages.map(toText), after.messages.map(toText), 'messages'),
  ];
}

function beginsWith(before: readonly string[], after: readonly string[], where: string): string[] {
  const at = before.findIndex((text, index) => after[index] !== text);
  return at === -1 ? [] : [`${where}, part ${at + 1}: ${before[at]} has become ${after[at] ?? 'nothing'}`];
}

function toStep(before: Written | undefined, after: Written, vain: Written | undefined): Step {
  return {
    head: before === undefined ? after.head : undefined,
    tools: after.tools.slice(before?.tools.length).map(parse),
    system: after.system.slice(before?.system.length).map(parse),
    messages: after.messages.slice(before?.messages.length),
    takenBack: vain ? toTakenBack(vain.messages, after.messages) : [],
  };
}

function toTakenBack(vain: readonly Unit[], after: readonly Unit[]): readonly Unit[] {
  const at = vain.findIndex(({ text }, index) => after[index]?.text !== text);
  return at === -1 ? [] : vain.slice(at);
}

function toText({ text }: Unit): string {
  return text;
}

function write(value: unknown): string {
  return JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
