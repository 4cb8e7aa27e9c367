// An agent with the tools of MCP servers: the Anthropic SDK talks to the model, Plugboard to the servers.
import Anthropic from '@anthropic-ai/sdk';
import { Host } from 'plugboard';
import { ask, question, readKey, servers, show, untilDone, wantsWebSearch } from './terminal.mjs';

const MAX_TURNS = 10;
const client = new Anthropic({ apiKey: readKey('ANTHROPIC_API_KEY') });
const model = process.env.ANTHROPIC_MODEL ?? 'claude-sonnet-5-5';

const host = await Host.open({ ...servers, ports: { ask } });
await untilDone(async (signal) => {
  await host.settled();
  await converse(signal);
});
await host.close(); // stops every server

async function converse(signal) {
  let view = host.forModel('anthropic');
  const messages = [{ role: 'user', content: [{ type: 'text', text: question }] }];
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const request = {
      model,
      max_tokens: 4096,
      cache_control: { type: 'ephemeral' },
      system: `You are a helpful assistant.\n\n${view.system}`,
      tools: wantsWebSearch ? [{ type: 'web_search_20250305', name: 'web_search' }, ...view.tools] : view.tools,
      messages,
    };
    const stream = client.messages.stream(request, { signal });
    stream.on('text', (text) => process.stdout.write(text));
    const message = await stream.finalMessage();
    process.stdout.write('\n');
    messages.push({ role: 'assistant', content: message.content });

    // Tools that Anthropic has run itself: their results are here already, so they are shown and recorded, not called.
    for (const { type, id, name, input } of message.content) {
      if (type !== 'server_tool_use') continue;
      show(name, input, 'run by Anthropic');
      host.recordProviderCall({ id, name, outcome: 'ok' });
    }
    if (message.stop_reason === 'pause_turn') continue; // Anthropic's own tools are not finished: ask again
    if (message.stop_reason !== 'tool_use') return;

    const calls = message.content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ callId: id, name, input, signal }));
    const results = await host.callAll(calls); // read-only tools together, others in order
    for (const [at, { outcome, ms }] of results.entries())
      show(calls[at].name, calls[at].input, `${outcome}, ${ms} ms`);
    const content = [...view.toolResults(results)];
    // Call this before every turn. What the model has read stays the same (prompt cache); `news` has the changes.
    view = host.forModel('anthropic');
    if (view.news) content.push({ type: 'text', text: view.news });
    messages.push({ role: 'user', content });
  }
  throw new Error(`No answer after ${MAX_TURNS} turns`);
}
