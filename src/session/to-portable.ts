import { unreachable } from '../base/never.js';
import type { AssistantPart, Message } from './message.js';

/** A message as any model can read it: without what only the one that wrote it understands. None where nothing is left. */
export function toPortable(message: Message, ids: PortableIds): Message[] {
  if (message.role !== 'assistant') return [message];
  const parts = message.parts.flatMap((part): AssistantPart[] => {
    switch (part.kind) {
      case 'text':
        return [{ kind: 'text', text: part.text }];
      case 'call': {
        const { extra: _, ...call } = part;
        return [{ ...call, id: ids.rename(call.id), name: toName(call.name) }];
      }
      // Its provider has signed the first, and run the others: nobody else takes them.
      case 'reasoning':
      case 'provider-call':
      case 'provider-result':
        return [];
      default:
        return unreachable(part);
    }
  });
  return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
}

/** What a model made up as the name of a tool; the one that wrote it took it, others refuse the whole conversation for it. */
function toName(name: string): string {
  return name.replaceAll(/[^\w-]/gu, '_').slice(0, NAME_LIMIT) || 'unknown';
}

const NAME_LIMIT = 64; // OpenAI's; Anthropic takes more

/** Ids of calls that every API takes. Some servers write others, and one such id would have all later messages refused. */
export class PortableIds {
  readonly #taken: Set<string>;
  readonly #renamed = new Map<string, string>();

  /** `taken`: of all calls of the conversation; those that are made here join them. */
  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  /** The same for the call and its result. */
  rename(id: string): string {
    if (ANYWHERE.test(id)) return id;
    const known = this.#renamed.get(id);
    if (known !== undefined) return known;
    let made = '';
    for (let count = this.#renamed.size + 1; made === '' || this.#taken.has(made); count++) made = `call_${count}`;
    this.#taken.add(made);
    this.#renamed.set(id, made);
    return made;
  }
}

const ANYWHERE = /^[\w-]{1,40}$/; // Anthropic takes only these characters, OpenAI no more of them
