// The AI SDK (6 or 7) with the tools of MCP servers. Install: ai, @ai-sdk/openai-compatible, plugboard.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs } from 'ai';
import { Host } from 'plugboard';
import { toAiTools } from 'plugboard/ai-sdk';
import { ask, question, readKey, servers, untilDone } from '../terminal.mjs';

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_MODEL = 'gpt-5' } = process.env;
const openai = createOpenAICompatible({ name: 'openai', apiKey: readKey('OPENAI_API_KEY'), baseURL: OPENAI_BASE_URL });

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (abortSignal) => {
  await host.settled();
  const { tools, system, prepareStep } = toAiTools(host);
  const { text } = await generateText({
    model: openai(OPENAI_MODEL),
    system,
    tools,
    prepareStep,
    prompt: question,
    stopWhen: stepCountIs(10),
    abortSignal,
  });
  console.log(text);
});
await host.close(); // stops every server
