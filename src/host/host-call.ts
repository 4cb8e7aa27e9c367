import type { callTool as CallTool, OutputPromise, ToolAnswer } from '../connection/call-tool.js';
import type { Carried } from '../connection/carry.js';
import type { Catalog } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import type { Dock } from '../connection/dock.js';
import type { CallContext, JsonSchema, ToolInput, ToolResult } from '../model/tool.js';
import { failed } from '../model/failed-result.js';
import { untilTold } from './until-told.js';

export interface PlacedCall {
  /** As the server spells it. */
  readonly tool: string;
  readonly input: ToolInput;
}

/** Loaded by the first call. */
export type ToolCaller = typeof CallTool;

export interface ServerCallParts {
  readonly connection: Connection;
  readonly dock: Dock;
  readonly callTool: ToolCaller;
  /** What the tool promises to answer with. */
  readonly output: JsonSchema | undefined;
}

/** Calls a tool of a server, waits for one that is away, and makes the call again where that does no harm. Never rejects. */
export function callServer(
  { connection, dock, callTool, output: schema }: ServerCallParts,
  placed: PlacedCall,
  { signal, timeoutMs, onProgress }: CallContext,
): Promise<Carried<ToolAnswer>> {
  const { tool } = placed;
  const { spill } = dock;
  const output: OutputPromise | undefined = schema && {
    schema,
    check: (wanted, value) => dock.check(wanted, value),
    current: () => currentPromise(connection, tool, signal),
  };
  return connection.carry(
    (link, left) => callTool(link, placed, { timeoutMs: left.timeoutMs, signal, onProgress, spill, output }),
    {
      // Asked when it matters: a server that came back may be another version, whose tool does more than read.
      isSafe: () => {
        const known = connection.catalog.tools.find((one) => one.name === tool);
        return known !== undefined && (known.hints.readOnly || known.hints.idempotent);
      },
      timeoutMs,
      signal,
    },
  );
}

export function toResult(carried: Carried<ToolAnswer>): ToolResult {
  const { attempts } = carried;
  if (carried.outcome !== 'ok') return failed(carried.outcome, carried.error, attempts);
  const { isError, content, structuredContent, saved, notes, broken } = carried.result;
  if (broken) {
    const told = failed('error', broken, attempts);
    return { ...told, content: [...told.content, ...content], saved, notes };
  }
  return {
    outcome: isError ? 'error' : 'ok',
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    saved,
    notes,
    attempts,
  };
}

/** What tools promise to answer with, looked up once for each list of them. */
export class OutputSchemas {
  readonly #known = new WeakMap<object, Map<string, JsonSchema | undefined>>();

  of({ catalog }: Connection, tool: string): JsonSchema | undefined | Promise<JsonSchema | undefined> {
    const list = catalog.toolColumns;
    const known = this.#known.get(list);
    const schema = known?.get(tool);
    return schema !== undefined || known?.has(tool) === true ? schema : this.#find(catalog, tool);
  }

  async #find(catalog: Catalog, tool: string): Promise<JsonSchema | undefined> {
    const definition = await catalog.tool(tool);
    if (!definition) return undefined;
    // As it is by now: the definition may have had to be fetched.
    const list = catalog.toolColumns;
    const known = this.#known.get(list) ?? new Map<string, JsonSchema | undefined>();
    this.#known.set(list, known);
    if (known.size >= KNOWN_LIMIT) known.clear();
    known.set(tool, definition.outputSchema);
    return definition.outputSchema;
  }
}

const KNOWN_LIMIT = 500; // tools of one server that a program really calls are far fewer

/** What was known may be of the version before: then the list is on its way. */
async function currentPromise(
  connection: Connection,
  tool: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly schema: JsonSchema | undefined } | undefined> {
  const { clock, catalog } = connection;
  if (
    catalog.isAwaited('tools') &&
    (await untilTold([connection], { kind: 'tools', clock, timeoutMs: LISTING_MS, signal }))
  )
    return undefined;
  return { schema: (await catalog.tool(tool))?.outputSchema };
}

const LISTING_MS = 5_000; // the answer is there, and does not wait for long
