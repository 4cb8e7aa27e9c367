// https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#tool-use-and-result-balance
import type { SamplingMessage } from './sampling.js';

/**
 * What is wrong with the tools in a conversation, for whoever makes the server; undefined when nothing is. Every use is followed by
 * its result in the very next message, and results stand there alone: no model takes anything else.
 */
export function faultOfToolUse(messages: readonly SamplingMessage[]): string | undefined {
  let open: ReadonlySet<string> = new Set();
  for (const [index, { role, content }] of messages.entries()) {
    const results = content.filter(({ type }) => type === 'tool_result').map(({ toolUseId }) => String(toolUseId));
    const uses = content.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
    const where = `messages[${index}]`;
    if (results.length > 0 && role !== 'user') return `${where} has a tool_result and is not the user's`;
    if (results.length > 0 && results.length < content.length) return `${where} has a tool_result beside other content`;
    if (uses.length > 0 && role !== 'assistant') return `${where} has a tool_use and is not the assistant's`;
    if (new Set(uses).size < uses.length) return `${where} uses the same tool_use id twice`;
    if (results.length !== open.size || results.some((id) => !open.has(id)) || new Set(results).size < results.length) {
      return `${where} does not have exactly one tool_result for each tool_use before it`;
    }
    open = new Set(uses);
  }
  return open.size > 0 ? 'the last message has a tool_use without its tool_result' : undefined;
}

/** How often a model has used tools since the conversation began. */
export function toolRounds(messages: readonly SamplingMessage[]): number {
  return messages.filter(({ content }) => content.some(({ type }) => type === 'tool_use')).length;
}
