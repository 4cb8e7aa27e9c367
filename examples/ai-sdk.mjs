// An agent: a model behind the AI SDK, here one of Anthropic's, and the tools of MCP servers behind Plugboard.
import { createAnthropic } from '@ai-sdk/anthropic';
import { dynamicTool, generateText, jsonSchema } from 'ai';
import { Host } from 'plugboard';
import { ask, question, readKey, servers, show, untilDone, wantsWebSearch } from './terminal.mjs';

const MAX_TURNS = 10;
const { ANTHROPIC_BASE_URL = 'https://api.anthropic.com', ANTHROPIC_MODEL = 'claude-sonnet-5-5' } = process.env;
// This SDK wants the version in the URL, unlike Anthropic's own.
const anthropic = createAnthropic({ apiKey: readKey('ANTHROPIC_API_KEY'), baseURL: `${ANTHROPIC_BASE_URL}/v1` });

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (signal) => {
  await host.settled();
  await converse(signal);
});
await host.close(); // no server outlives this

async function converse(signal) {
  const messages = [{ role: 'user', content: question }];
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    // Asked before every request. Tools and system stay as they are, byte by byte, for the prompt cache; what is new is news.
    const view = host.forModel('anthropic');
    if (view.news) messages.push({ role: 'user', content: view.news });
    // The SDK starts all calls of a turn at once: those that only read run together, the others one after the other.
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
    // What Anthropic has run itself has its result already: it is shown and written down, and never called.
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

/** Of a result as the API takes it, one as the SDK does: images stay images, and what a search found is a reference. */
function toOutput({ is_error: isError, content }) {
  if (isError) return { type: 'error-text', value: content.map(({ text }) => text ?? '').join('\n') };
  const value = content.map(({ type, text, source, tool_name: toolName }) => {
    if (type === 'image') return { type: 'image-data', data: source.data, mediaType: source.media_type };
    if (type !== 'tool_reference') return { type: 'text', text };
    return { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName } } };
  });
  return { type: 'content', value };
}
