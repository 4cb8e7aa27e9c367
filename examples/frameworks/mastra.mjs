// Mastra with the tools of MCP servers: Mastra takes the AI SDK's tools as they are. Install: @mastra/core, ai,
// @ai-sdk/openai-compatible, plugboard.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { Host } from 'plugboard';
import { toAiTools } from 'plugboard/ai-sdk';
import { ask, question, readKey, servers, untilDone } from '../terminal.mjs';

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_MODEL = 'gpt-5' } = process.env;
const openai = createOpenAICompatible({ name: 'openai', apiKey: readKey('OPENAI_API_KEY'), baseURL: OPENAI_BASE_URL });

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (abortSignal) => {
  await host.settled();
  const { tools, system } = toAiTools(host);
  const agent = new Agent({
    id: 'assistant',
    name: 'assistant',
    instructions: system,
    model: openai(OPENAI_MODEL),
    tools,
  });
  const { text } = await agent.generate(question, { maxSteps: 10, abortSignal });
  console.log(text);
});
await host.close(); // stops every server
