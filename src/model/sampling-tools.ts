// https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#tool-use-and-result-balance
import type { SamplingMessage } from './sampling.js';

/**
 * What is wrong with the tool use in a conversation, for the server's author; undefined when nothing is. Models require
 * that the next message has the result of every tool_use, and nothing but results.
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

/** How many messages of a conversation use tools. */
export function toolRounds(messages: readonly SamplingMessage[]): number {
  return messages.filter(({ content }) => content.some(({ type }) => type === 'tool_use')).length;
}
