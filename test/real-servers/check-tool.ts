import { expect } from 'vitest';
import { HostError } from '../../src/base/errors.js';
import { callTool, type ToolAnswer } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import type { ServerToolDefinition } from '../../src/connection/catalog/tool-definition.js';
import { SchemaChecker } from '../../src/edge/schema-checker.js';
import type { Progress } from '../../src/wire/progress.js';
import { argumentsFor } from './arguments.js';
import type { ToolCase } from './real-server.js';

/** Calls the tool and checks its structured content against the tool's output schema. */
export async function checkTool(
  { connection, folder }: { readonly connection: Connection; readonly folder: string },
  tool: ServerToolDefinition,
  wanted: ToolCase,
): Promise<void> {
  const seen: Progress[] = [];
  const input = wanted.input?.(folder) ?? argumentsFor(tool.inputSchema);
  const { outputSchema } = tool;
  const checker = new SchemaChecker();
  const answer = await callTool(
    connection,
    { tool: tool.name, input },
    {
      timeoutMs: CALL_LIMIT,
      ...(wanted.progress !== undefined && { onProgress: (one) => seen.push(one) }),
      ...(outputSchema && { output: { schema: outputSchema, check: (schema, value) => checker.check(schema, value) } }),
    },
  ).catch(toRefusal);
  const says = wanted.says.replace('{folder}', folder);
  if (answer instanceof HostError) {
    expect({ refuses: answer.code === 'server-error', text: answer.message }).toEqual({
      refuses: wanted.refuses === true,
      text: expect.stringContaining(says),
    });
    return;
  }
  expect(wanted.refuses, `${tool.name} answers: ${spoken(answer)}`).toBeUndefined();
  expect({ text: spoken(answer), isError: answer.isError, notes: answer.notes }).toEqual({
    text: expect.stringContaining(says),
    isError: wanted.isError === true,
    notes: [],
  });
  expect(seen.map(({ progress }) => progress)).toEqual(
    Array.from({ length: wanted.progress ?? 0 }, (_, step) => step + 1),
  );
}

const CALL_LIMIT = 600_000; // the elasticsearch server retries three times, ten seconds each

function toRefusal(error: unknown): HostError {
  if (error instanceof HostError) return error;
  throw error;
}

/** Text blocks as they are, other blocks as JSON. */
function spoken({ content }: ToolAnswer): string {
  return content.map((block) => (block['type'] === 'text' ? String(block['text']) : JSON.stringify(block))).join('\n');
}
