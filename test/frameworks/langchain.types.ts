// What a user of LangChain writes: it has to compile without a cast.
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { Host } from 'plugboard';
import { toLangChainTools } from 'plugboard/langchain';

export async function ask(model: BaseChatModel, question: string): Promise<string> {
  await using host = await Host.open({ permissions: { allow: ['mcp__docs'] } });
  const { tools, system, interruptOn, middleware } = toLangChainTools(host);
  const agent = createAgent({
    model,
    tools,
    systemPrompt: system,
    middleware: [middleware, humanInTheLoopMiddleware({ interruptOn })],
  });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] });
  return messages.at(-1)?.text ?? '';
}
