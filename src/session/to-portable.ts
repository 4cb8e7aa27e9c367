import { unreachable } from '../base/never.js';
import type { AssistantPart, Message } from './message.js';

/** A message for any model: without what only the model that wrote it understands. Empty when nothing is left. */
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
      // The provider has signed its reasoning, and run its own calls: no other provider accepts them.
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

/** A tool name that a model made up: its own API accepted it, others would refuse the whole conversation for it. */
function toName(name: string): string {
  return name.replaceAll(/[^\w-]/gu, '_').slice(0, NAME_LIMIT) || 'unknown';
}

const NAME_LIMIT = 64; // OpenAI's limit; Anthropic allows more

/** Call ids that every API accepts. Some servers write others, for which later messages would be refused. */
export class PortableIds {
  readonly #taken: Set<string>;
  readonly #renamed = new Map<string, string>();

  /** `taken`: the call ids of the whole conversation; new ones are added. */
  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  /** Gives a call and its result the same new id. */
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

const ANYWHERE = /^[\w-]{1,40}$/; // Anthropic allows only these characters, OpenAI no more of them
