import { isObject } from '../../src/base/json.js';

/** The text of a request as it was sent. */
export interface SentRequest {
  readonly text: string;
  /** Whether the model answered the request; true by default. Messages of an unanswered request may be withdrawn. */
  readonly isRead?: boolean;
}

export interface Growth {
  readonly steps: readonly Step[];
  /** Where a request is not the one before it with something appended. */
  readonly faults: readonly string[];
}

/** What a request adds to the last answered one, in its order; everything for the first request. */
export interface Step {
  /** All fields but tools, system and messages; undefined except for the first request. */
  readonly head: Json | undefined;
  readonly tools: readonly unknown[];
  readonly system: readonly unknown[];
  readonly messages: readonly Unit[];
  /** The messages of the unanswered request before this one that were withdrawn. */
  readonly takenBack: readonly Unit[];
}

/** A message, or a part of one whose content is a list: such a message may still grow while it is the last. */
export type Unit =
  | { readonly kind: 'message'; readonly text: string; readonly value: Json }
  | { readonly kind: 'open'; readonly text: string; readonly value: Json }
  | { readonly kind: 'block'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'close'; readonly text: string };

type Json = { readonly [field: string]: unknown };

/**
 * What each request of a conversation adds to the one before. Nothing else may differ: no byte of a tool, of the system
 * text or of a message, no cache mark, no other field, no order. One exception: the messages of a request that was not
 * answered may be withdrawn, because an API that refused them would refuse them again.
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
    // A refused request may have added tools; those stay.
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
  // Guarantees that the serialized text of a part equals the bytes that were sent for it.
  if (JSON.stringify(body) !== text) return 'its bytes are not those of its JSON written out';
  const { tools = [], system = [], messages, ...rest } = body;
  if (!Array.isArray(tools) || !Array.isArray(system) || !Array.isArray(messages))
    return 'its tools, system or messages are no list';
  return {
    // The order of the fields counts: a model reads what comes before the messages first.
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

/** Leaves the last user message open: the API reads a block that joins the message like a new message. */
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
