import type { callTool as CallTool, OutputPromise } from '../connection/call-tool.js';
import type { Connection } from '../connection/connection.js';
import type { Dock } from '../connection/dock.js';
import type { CallContext, JsonSchema, ToolInput, ToolResult } from '../model/tool.js';
import { failed } from './steps/refused.js';
import { untilTold } from './until-told.js';

export interface PlacedCall {
  /** As the server spells it. */
  readonly tool: string;
  readonly input: ToolInput;
}

/** Loaded by the first call. */
export type ToolCaller = typeof CallTool;

/** Calls a tool of a server, waits for one that is away, and makes the call again where that does no harm. Never rejects. */
export async function callServer(
  {
    connection,
    dock,
    callTool,
  }: { readonly connection: Connection; readonly dock: Dock; readonly callTool: ToolCaller },
  { tool, input }: PlacedCall,
  { signal, timeoutMs, onProgress }: CallContext,
): Promise<ToolResult> {
  // Asked when it matters: a server that came back may be another version, whose tool does more than read.
  const isSafe = (): boolean => {
    const known = connection.catalog.tools.find((one) => one.name === tool);
    return known !== undefined && (known.hints.readOnly || known.hints.idempotent);
  };
  const { outputSchema } = (await connection.catalog.tool(tool)) ?? {};
  const { spill } = dock;
  const request = { tool, input };
  const output: OutputPromise | undefined = outputSchema && {
    schema: outputSchema,
    check: (schema, value) => dock.check(schema, value),
    current: () => currentPromise(connection, tool, signal),
  };
  const carried = await connection.carry(
    (link, left) => callTool(link, request, { timeoutMs: left.timeoutMs, signal, onProgress, spill, output }),
    { isSafe, timeoutMs, signal },
  );
  const { attempts } = carried;
  if (carried.outcome !== 'ok') return failed(carried.outcome, carried.error, attempts);
  const { isError, content, structuredContent, saved, notes } = carried.result;
  return {
    outcome: isError ? 'error' : 'ok',
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    saved,
    notes,
    attempts,
  };
}

/** What was known may be of the version before: then the list is on its way. */
async function currentPromise(
  connection: Connection,
  tool: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly schema: JsonSchema | undefined } | undefined> {
  const { clock, catalog } = connection;
  if (catalog.isAwaited('tools') && (await untilTold([connection], { clock, timeoutMs: LISTING_MS, signal })))
    return undefined;
  return { schema: (await catalog.tool(tool))?.outputSchema };
}

const LISTING_MS = 5_000; // the answer is there, and does not wait for long
