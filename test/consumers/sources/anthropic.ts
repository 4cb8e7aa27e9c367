// A program that has Anthropic's package. It is compiled, and never run.
import Anthropic from '@anthropic-ai/sdk';
import { Host, type ModelTurn } from 'plugboard';

export async function ask(question: string, host: Host): Promise<void> {
  const client = new Anthropic();
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
  let view: ModelTurn<'anthropic'> = host.forModel('anthropic');
  for (;;) {
    const { tools, system } = view;
    const message = await client.messages.create({ model: 'm', max_tokens: 9, system, tools, messages });
    const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    if (calls.length === 0) return;
    const results = await host.callAll(calls.map(({ id, name, input }) => ({ callId: id, name, input })));
    const content: Anthropic.ContentBlockParam[] = view.toolResults(results);
    view = host.forModel('anthropic');
    if (view.news !== undefined) content.push({ type: 'text', text: view.news });
    messages.push({ role: 'assistant', content: message.content }, { role: 'user', content });
  }
}

export async function askBeta(host: Host): Promise<void> {
  const { tools, toolResults } = host.forModel('anthropic');
  const client = new Anthropic();
  const content = toolResults(await host.callAll([{ name: 'mcp__a__b' }]));
  await client.beta.messages.create({ model: 'm', max_tokens: 9, tools, messages: [{ role: 'user', content }] });
  client.messages.stream({
    model: 'm',
    max_tokens: 9,
    tools: [{ type: 'web_search_20250305', name: 'web_search' }, ...tools],
    messages: [{ role: 'user', content }],
  });
}

// @ts-expect-error: what another API takes does not fit.
export const wrong = (host: Host): Anthropic.ToolUnion[] => host.forModel('openai').tools;
