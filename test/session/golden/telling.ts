import { isObject } from '../../../src/base/json.js';
import { unreachable } from '../../../src/base/never.js';
import { AGENT_INSTRUCTIONS, STABLE_INSTRUCTIONS } from '../../../src/session/instructions.js';
import { toList } from '../../fixtures/scripted-api.js';
import { growth, type SentRequest, type Step, type Unit } from '../request-growth.js';
import { print, printItem } from './print.js';
import type { Api, Line } from './script.js';

export type Happening =
  | { readonly kind: 'said' | 'note' | 'switch'; readonly text: string }
  | { readonly kind: 'request'; readonly api: Api; readonly number: number; readonly line: Line };

export interface TellingOptions {
  readonly name: string;
  /** The temporary home, printed as `<home>` because its path differs in each run. */
  readonly home: string;
  /** The bytes of a request, by its number. */
  readonly received: (api: Api, number: number) => string;
  /** Prints built-in tools and Plugboard's own instructions in full; otherwise one line stands for each. */
  readonly isFull: boolean;
}

/** Prints what happened, and what each request adds to the one before; sub-agents' conversations separately. */
export class Telling {
  readonly faults: string[] = [];
  readonly #options: TellingOptions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #main: Part[] = [];
  #readings = 0;

  constructor(options: TellingOptions) {
    this.#options = options;
  }

  add(happening: Happening): void {
    if (happening.kind === 'request') return this.#request(happening);
    if (happening.kind === 'switch') this.#readings++;
    const words = happening.kind === 'said' ? `The user: ${happening.text}` : `(${happening.text})`;
    this.#main.push({ kind: 'words', text: words });
  }

  text(): string {
    const { name, home } = this.#options;
    const told = new Map(
      [...this.#conversations.values()].map((conversation) => [conversation, this.#toSteps(conversation)]),
    );
    const lines = this.#main.flatMap((part) =>
      part.kind === 'words' ? ['', part.text] : ['', ...told.get(part.conversation)![part.at]!],
    );
    const apart = [...told]
      .filter(([{ isApart }]) => isApart)
      .toSorted(([one], [other]) => (one.title < other.title ? -1 : 1))
      .flatMap(([{ title }, steps]) => [
        '',
        `=== A conversation of its own: ${title}`,
        ...steps.flatMap((step) => ['', ...step]),
      ]);
    return toStable([name, ...lines, ...apart, ''].join('\n'), home);
  }

  #request({ api, number, line }: Extract<Happening, { kind: 'request' }>): void {
    const text = this.#options.received(api, number);
    const body: unknown = JSON.parse(text);
    const { system, title } = toTitle(body);
    const isApart = system.startsWith(AGENT_INSTRUCTIONS);
    const key = isApart ? `apart ${title}` : `main ${this.#readings}`;
    let conversation = this.#conversations.get(key);
    if (!conversation) this.#conversations.set(key, (conversation = { title, isApart, requests: [], ends: [] }));
    const { but, say = '' } = line;
    conversation.requests.push({ text, isRead: but === undefined || but === 'stops' });
    conversation.ends.push(but === undefined ? undefined : `The API ${but}${but === 'refuses' ? `: ${say}` : ''}`);
    if (!isApart) this.#main.push({ kind: 'request', conversation, at: conversation.requests.length - 1 });
  }

  #toSteps({ requests, ends, isApart, title }: Conversation): readonly (readonly string[])[] {
    const { steps, faults } = growth(requests);
    this.faults.push(...faults.map((fault) => (isApart ? `${title}: ${fault}` : fault)));
    return steps.map((step, at) => [...this.#toLines(step, at), ...(ends[at] === undefined ? [] : [`(${ends[at]})`])]);
  }

  #toLines({ head, tools, system, messages, takenBack }: Step, at: number): readonly string[] {
    return [
      `--- request ${at + 1}${head ? '' : ', appended'}`,
      ...(takenBack.length > 0 ? ['taken back, because nobody has answered it:', ...printUnits(takenBack)] : []),
      ...(head ? print(head) : []),
      ...(tools.length > 0 ? ['tools:', ...tools.flatMap((tool) => printItem(this.#toShort(tool), '  '))] : []),
      ...(system.length > 0 ? ['system:', ...system.flatMap((text) => printItem(this.#toShort(text), '  '))] : []),
      ...(messages.length > 0 ? ['messages:', ...printUnits(messages.map((unit) => this.#toShortUnit(unit)))] : []),
    ];
  }

  #toShortUnit(unit: Unit): Unit {
    return unit.kind === 'message' ? { ...unit, value: this.#toShort(unit.value) as Json } : unit;
  }

  /** Shortens what is the same in every story. */
  #toShort(value: unknown): unknown {
    if (this.#options.isFull || !isObject(value)) return value;
    const own = isObject(value['function']) ? value['function'] : value;
    const { name, text, content } = value;
    const called = own['name'] ?? name;
    if (typeof called === 'string' && !called.startsWith('mcp__')) {
      const { cache_control: mark, defer_loading: isDeferred } = value;
      return {
        [called]: 'built in',
        ...(mark !== undefined && { mark }),
        ...(isDeferred !== undefined && { isDeferred }),
      };
    }
    if (typeof text === 'string') return { ...value, text: withoutOurs(text) };
    return typeof content === 'string' ? { ...value, content: withoutOurs(content) } : value;
  }
}

type Json = { readonly [field: string]: unknown };
type Part =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'request'; readonly conversation: Conversation; readonly at: number };

interface Conversation {
  readonly title: string;
  readonly isApart: boolean;
  readonly requests: SentRequest[];
  readonly ends: (string | undefined)[];
}

function toTitle(body: unknown): { readonly system: string; readonly title: string } {
  const { system, messages } = isObject(body) ? body : {};
  const [first, second] = toList(messages);
  const isInMessages = first?.['role'] === 'system';
  const own = isInMessages ? first['content'] : toList(system)[0]?.['text'];
  const said = (isInMessages ? second : first)?.['content'];
  return { system: String(own), title: typeof said === 'string' ? said : String(toList(said)[0]?.['text']) };
}

function printUnits(units: readonly Unit[]): readonly string[] {
  const isGoingOn = units[0]?.kind === 'block';
  return [...(isGoingOn ? ['  (the last message goes on)'] : []), ...units.flatMap(toLines)];
}

function toLines(unit: Unit): readonly string[] {
  switch (unit.kind) {
    case 'message':
      return printItem(unit.value, '  ');
    case 'open':
      return [`  - role: ${JSON.stringify(unit.value['role'])}`];
    case 'block':
      return printItem(unit.value, '    ');
    case 'close':
      return [];
    default:
      return unreachable(unit);
  }
}

function withoutOurs(text: string): string {
  return text
    .replace(STABLE_INSTRUCTIONS, '<the stable instructions>')
    .replace(AGENT_INSTRUCTIONS, '<the instructions of sub-agents>');
}

/** Replaces what differs in each run. */
function toStable(text: string, home: string): string {
  return text
    .replaceAll(home, '<home>')
    .replaceAll(/(127\.0\.0\.1|localhost)(:|%3A)\d+/gu, '$1$2<port>')
    .replaceAll(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gu, '<uuid>')
    .replaceAll(/\b\d{8}T\d{6}Z-[\da-f]{12}\b/gu, '<time>-<chance>')
    .replaceAll(/(state|code_challenge|client_id)=[^&\s"]+/gu, '$1=<$1>');
}
