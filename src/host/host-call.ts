import type { HostError } from '../base/errors.js';
import type { Connection } from '../connection/connection.js';
import type { Dock } from '../connection/dock.js';
import type { JsonSchema } from '../connection/remote-tool.js';
import type { SavedFile } from '../connection/saved-content.js';
import type { JsonObject } from '../wire/message.js';
import type { Progress } from '../wire/progress.js';
import { untilTold } from './until-told.js';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** How a call ended: exactly once. A tool's own error has content; a call that got no answer has an error. */
export interface CallResult {
  /** As the model knows the tool; as it was asked for where there is none. */
  readonly name: string;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  /** `unknown`: the server may have done it, and nobody can tell. */
  readonly outcome: 'ok' | 'error' | 'unknown';
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  /** What was too large for memory, and is in files. */
  readonly saved: readonly SavedFile[];
  readonly notes: readonly string[];
  readonly error?: HostError;
  /** How often it was sent. */
  readonly attempts: number;
  readonly ms: number;
}

export interface PlacedCall {
  readonly name: string;
  readonly tool: string;
  readonly input: JsonObject;
}

/** Calls a tool of a server, waits for one that is away, and makes the call again where that does no harm. Never rejects. */
export async function callServer(
  { connection, dock }: { readonly connection: Connection; readonly dock: Dock },
  { name, tool, input }: PlacedCall,
  { signal, timeoutMs, onProgress }: CallOptions,
): Promise<CallResult> {
  const { callTool } = await import('../connection/call-tool.js');
  const { clock } = connection;
  const began = clock.monotonic();
  // Asked when it matters: a server that came back may be another version, whose tool does more than read.
  const isSafe = (): boolean => {
    const known = connection.catalog.tools.find((one) => one.name === tool);
    return known !== undefined && (known.hints.readOnly || known.hints.idempotent);
  };
  const { outputSchema } = (await connection.catalog.tool(tool)) ?? {};
  const carried = await connection.carry(
    (link, left) =>
      callTool(
        link,
        { tool, input },
        {
          ...(left.timeoutMs !== undefined && { timeoutMs: left.timeoutMs }),
          signal,
          onProgress,
          spill: dock.spill,
          ...(outputSchema && {
            output: {
              schema: outputSchema,
              check: (schema, value) => dock.check(schema, value),
              current: () => currentPromise(connection, tool, signal),
            },
          }),
        },
      ),
    { isSafe, timeoutMs, signal },
  );
  const frame = {
    name,
    server: connection.name,
    tool,
    attempts: carried.attempts,
    ms: Math.round(clock.monotonic() - began),
  };
  if (carried.outcome !== 'ok') return { ...frame, ...failedCall(carried.outcome, carried.error) };
  const { isError, content, structuredContent, saved, notes } = carried.result;
  return {
    ...frame,
    outcome: isError ? 'error' : 'ok',
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    saved,
    notes,
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

/** What is left to say of a call without an answer. */
export function failedCall(
  outcome: 'error' | 'unknown',
  error: HostError,
): Pick<CallResult, 'outcome' | 'error' | 'content' | 'saved' | 'notes'> {
  const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  return { outcome, error, content: [{ type: 'text', text }], saved: [], notes: [] };
}
