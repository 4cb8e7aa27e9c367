import type { AssistantPart, Message } from './message.js';

/**
 * The messages of one turn, without what an API refuses when it is sent back and nothing follows it: provider calls
 * without a result, and reasoning at the end of an answer. Each in its place, undefined where nothing is left of it.
 */
export function dropUnfinished(messages: readonly Message[]): readonly (Message | undefined)[] {
  const answered = new Set(
    messages.flatMap(partsOf).flatMap((part) => (part.kind === 'provider-result' ? part.id : [])),
  );
  const kept = messages.map((message) =>
    withParts(
      message,
      partsOf(message).filter((part) => part.kind !== 'provider-call' || answered.has(part.id)),
    ),
  );
  return kept.map((message, at) => {
    if (!message) return undefined;
    const next = kept.slice(at + 1).find((one) => one !== undefined)?.role;
    const parts = partsOf(message);
    const last = parts.findLastIndex(({ kind }) => kind !== 'reasoning');
    return withParts(message, next === undefined || next === 'user' ? parts.slice(0, last + 1) : parts);
  });
}

function partsOf(message: Message): readonly AssistantPart[] {
  return message.role === 'assistant' ? message.parts : [];
}

/** The same message when no part is missing, none when no part is left. */
function withParts(message: Message, parts: readonly AssistantPart[]): Message | undefined {
  if (message.role !== 'assistant' || parts.length === message.parts.length) return message;
  return parts.length === 0 ? undefined : { role: 'assistant', parts };
}
