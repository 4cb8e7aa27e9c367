// LangChain with the tools of MCP servers. Install: langchain, @langchain/openai, plugboard.
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { Host } from 'plugboard';
import { toLangChainTools } from 'plugboard/langchain';
import { ask, question, readKey, servers, untilDone } from '../terminal.mjs';

const { OPENAI_BASE_URL: baseURL, OPENAI_MODEL = 'gpt-5' } = process.env;
const apiKey = readKey('OPENAI_API_KEY');
const llm = new ChatOpenAI({ model: OPENAI_MODEL, apiKey, useResponsesApi: false, configuration: { baseURL } });

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (signal) => {
  await host.settled();
  const { tools, system, middleware } = toLangChainTools(host);
  const agent = createAgent({ model: llm, tools, systemPrompt: system, middleware: [middleware] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] }, { signal });
  console.log(messages.at(-1).text);
});
await host.close(); // stops every server
