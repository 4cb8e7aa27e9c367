// A program that has OpenAI's package. It is compiled, and never run.
import OpenAI from 'openai';
import { Host } from 'plugboard';

export async function ask(question: string, host: Host): Promise<void> {
  const client = new OpenAI();
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
  for (;;) {
    const { tools, toolResults } = host.forModel('openai');
    const { choices } = await client.chat.completions.create({ model: 'm', tools, messages });
    const message = choices[0]?.message;
    const calls = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    if (message === undefined || calls.length === 0) return;
    const results = await host.callAll(
      calls.map(({ id, function: { name, arguments: text } }) => ({ callId: id, name, input: JSON.parse(text) })),
    );
    messages.push(message, ...toolResults(results));
  }
}

// @ts-expect-error: what another API takes does not fit.
export const wrong = (host: Host): OpenAI.Chat.ChatCompletionTool[] => host.forModel('anthropic').tools;
