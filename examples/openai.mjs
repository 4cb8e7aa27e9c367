// An agent with the tools of MCP servers: the OpenAI SDK talks to the model, or to any URL with the Chat Completions
// API, Plugboard to the servers.
import OpenAI from 'openai';
import { Host } from 'plugboard';
import { ask, question, readKey, servers, show, untilDone } from './terminal.mjs';

const MAX_TURNS = 10;
const client = new OpenAI({ apiKey: readKey('OPENAI_API_KEY') });
const model = process.env.OPENAI_MODEL ?? 'gpt-5.4-mini';

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
    const view = host.forModel('openai');
    if (view.news) messages.push({ role: 'user', content: view.news });
    const head = { role: 'system', content: `You are a helpful assistant.\n\n${view.system}` };
    const request = { model, tools: view.tools, messages: [head, ...messages] };
    const { choices } = await client.chat.completions.create(request, { signal });
    const { message } = choices[0];
    messages.push(message);
    if (message.content) console.log(message.content);
    if (!message.tool_calls?.length) return;

    const calls = message.tool_calls.map(({ id, function: { name, arguments: text } }) => ({
      callId: id,
      name,
      input: toInput(text),
      signal,
    }));
    const results = await host.callAll(calls); // read-only tools together, others in order
    for (const [at, { outcome, ms }] of results.entries())
      show(calls[at].name, calls[at].input, `${outcome}, ${ms} ms`);
    messages.push(...view.toolResults(results));
  }
  throw new Error(`No answer after ${MAX_TURNS} turns`);
}

/** A model may write arguments that are not JSON. The host then calls no server, and its result tells the model why. */
function toInput(text) {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return text;
  }
}
