// The OpenAI Agents SDK with the tools of MCP servers. Install: @openai/agents, zod, plugboard.
import { Agent, run, setOpenAIAPI, setTracingDisabled } from '@openai/agents';
import { Host } from 'plugboard';
import { toAgentTools } from 'plugboard/openai-agents';
import { ask, question, readKey, servers, untilDone } from '../terminal.mjs';

readKey('OPENAI_API_KEY'); // the SDK reads the key and OPENAI_BASE_URL itself
setOpenAIAPI('chat_completions'); // what other providers offer, too
setTracingDisabled(true); // otherwise the SDK sends every run, with the tools' results, to its maker

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (signal) => {
  await host.settled();
  const { tools, system, callModelInputFilter } = toAgentTools(host);
  const model = process.env.OPENAI_MODEL ?? 'gpt-5';
  const agent = new Agent({ name: 'assistant', instructions: system, model, tools });
  const { finalOutput } = await run(agent, question, { callModelInputFilter, signal });
  console.log(finalOutput);
});
await host.close(); // stops every server
