// An agent with the tools of MCP servers: the AI SDK talks to a model (here Anthropic's), Plugboard to the servers.
import { createAnthropic } from '@ai-sdk/anthropic';
import { dynamicTool, generateText, jsonSchema } from 'ai';
import { Host } from 'plugboard';
import { ask, question, readKey, servers, show, untilDone, wantsWebSearch } from './terminal.mjs';

const MAX_TURNS = 10;
const { ANTHROPIC_BASE_URL = 'https://api.anthropic.com', ANTHROPIC_MODEL = 'claude-sonnet-5-5' } = process.env;
// The AI SDK expects the version in the URL, Anthropic's own SDK does not.
const anthropic = createAnthropic({ apiKey: readKey('ANTHROPIC_API_KEY'), baseURL: `${ANTHROPIC_BASE_URL}/v1` });

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (signal) => {
  await host.settled();
  await converse(signal);
});
await host.close(); // stops every server

async function converse(signal) {
  const messages = [{ role: 'user', content: question }];
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    // Call this before each request. What the model has read stays the same (prompt cache); `news` has the changes.
    const view = host.forModel('anthropic');
    if (view.news) messages.push({ role: 'user', content: view.news });
    // The SDK starts all calls of a turn at once. `inOrder` runs read-only tools together, others one after the other.
    const { call } = host.inOrder();
    const { text, toolCalls, toolResults, finishReason, response } = await generateText({
      model: anthropic(ANTHROPIC_MODEL),
      system: `You are a helpful assistant.\n\n${view.system}`,
      tools: {
        ...(wantsWebSearch && { web_search: anthropic.tools.webSearch_20250305() }),
        ...Object.fromEntries(view.tools.map((tool) => [tool.name, toTool(tool, { view, call, signal })])),
      },
      messages,
      abortSignal: signal,
    });
    messages.push(...response.messages);
    if (text) console.log(text);
    // Tools that Anthropic has run itself: their results are here already, so they are shown and recorded, not called.
    for (const { toolCallId, toolName, input, providerExecuted } of toolCalls) {
      if (!providerExecuted) continue;
      show(toolName, input, 'run by Anthropic');
      host.recordProviderCall({ id: toolCallId, name: toolName, outcome: 'ok' });
    }
    for (const { toolName, input, output, providerExecuted } of toolResults)
      if (!providerExecuted) show(toolName, input, `${output.outcome}, ${output.ms} ms`);
    if (finishReason !== 'tool-calls') return;
  }
  throw new Error(`No answer after ${MAX_TURNS} turns`);
}

function toTool({ name, description, input_schema: schema, defer_loading: deferLoading }, { view, call, signal }) {
  return dynamicTool({
    description,
    inputSchema: jsonSchema(schema),
    ...(deferLoading && { providerOptions: { anthropic: { deferLoading } } }),
    execute: (input, { toolCallId }) => call({ callId: toolCallId, name, input, signal }),
    toModelOutput: ({ output }) => toOutput(view.toolResults([output])[0]),
  });
}

/** Converts a tool result from the API's format to the SDK's. A tool that a search has found becomes a reference. */
function toOutput({ is_error: isError, content }) {
  if (isError) return { type: 'error-text', value: content.map(({ text }) => text ?? '').join('\n') };
  const value = content.map(({ type, text, source, tool_name: toolName }) => {
    if (type === 'image') return { type: 'image-data', data: source.data, mediaType: source.media_type };
    if (type !== 'tool_reference') return { type: 'text', text };
    return { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName } } };
  });
  return { type: 'content', value };
}
