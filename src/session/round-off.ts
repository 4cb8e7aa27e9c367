import type { AssistantPart, Message } from './message.js';

/**
 * What was said in one turn, without what an API refuses when it comes back and nothing follows it any more: calls of the provider's own that
 * have no result, and thoughts at the end of what was said.
 */
export function roundOff(messages: readonly Message[]): readonly Message[] {
  const answered = new Set(
    messages.flatMap(partsOf).flatMap((part) => (part.kind === 'provider-result' ? part.id : [])),
  );
  return messages.flatMap((message, at): readonly Message[] => {
    if (message.role !== 'assistant') return [message];
    const kept = message.parts.filter((part) => part.kind !== 'provider-call' || answered.has(part.id));
    const next = messages[at + 1]?.role;
    const isEnd = next === undefined || next === 'user';
    const parts = isEnd ? kept.slice(0, kept.findLastIndex(({ kind }) => kind !== 'reasoning') + 1) : kept;
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
  });
}

function partsOf(message: Message): readonly AssistantPart[] {
  return message.role === 'assistant' ? message.parts : [];
}
