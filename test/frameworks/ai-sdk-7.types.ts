// What a user of the AI SDK writes: it has to compile without a cast.
import { generateText, type LanguageModel, stepCountIs, streamText } from 'ai';
import { Host } from 'plugboard';
import { toAiTools, type ToolOutput } from 'plugboard/ai-sdk';

export async function ask(model: LanguageModel, prompt: string): Promise<string> {
  await using host = await Host.open({ permissions: { allow: ['mcp__docs'] } });
  const { tools, system, toolApproval, prepareStep } = toAiTools(host);
  const result = await generateText({
    model,
    system,
    tools,
    toolApproval,
    prepareStep,
    prompt,
    stopWhen: stepCountIs(10),
  });
  for (const { output } of result.toolResults) console.log((output as ToolOutput).outcome);
  const streamed = streamText({ model, system, tools, toolApproval, prepareStep, prompt, stopWhen: stepCountIs(10) });
  return result.text + (await streamed.text);
}
