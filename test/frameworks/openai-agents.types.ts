// What a user of the OpenAI Agents SDK writes: it has to compile without a cast.
import { Agent, run } from '@openai/agents';
import { Host } from 'plugboard';
import { toAgentTools } from 'plugboard/openai-agents';

export async function ask(question: string): Promise<string | undefined> {
  await using host = await Host.open({ permissions: { allow: ['mcp__docs'] } });
  const { tools, system, callModelInputFilter } = toAgentTools(host);
  const agent = new Agent({ name: 'docs', instructions: system, tools });
  const { finalOutput } = await run(agent, question, { callModelInputFilter });
  return finalOutput;
}
