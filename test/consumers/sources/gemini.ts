// A program that has Google's package. It is compiled, and never run.
import { type Content, GoogleGenAI, type Tool } from '@google/genai';
import { Host } from 'plugboard';

export async function ask(question: string, host: Host): Promise<void> {
  const client = new GoogleGenAI({ apiKey: 'k' });
  const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }];
  for (;;) {
    const { tools, system, toolResults } = host.forModel('gemini');
    const response = await client.models.generateContent({
      model: 'm',
      contents,
      config: { tools, systemInstruction: system },
    });
    const calls = response.functionCalls ?? [];
    if (calls.length === 0) return;
    const results = await host.callAll(
      calls.map(({ id, name, args }, at) => ({ callId: id ?? String(at), name: name ?? '', input: args })),
    );
    const content = response.candidates?.[0]?.content;
    if (content) contents.push(content);
    contents.push({ role: 'user', parts: toolResults(results) });
  }
}

// @ts-expect-error: what another API takes does not fit.
export const wrong = (host: Host): Tool[] => host.forModel('openai').tools;
