import { HostError } from '../../base/errors.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { ToolAnswer, ToolOperation } from '../../connection/requests/call-tool.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import type { KeptServerResult } from '../../connection/kept-server-result.js';
import { toHints, toMarks } from '../../connection/catalog/fetch-list.js';
import type { ServerToolDefinition } from '../../connection/catalog/tool-definition.js';
import { failed, refusedResult } from '../../model/failed-result.js';
import { shownHints } from '../../model/view/shown-hints.js';
import type { ServerDefinition } from '../../model/server-definition.js';
import type {
  CallContext,
  Tool,
  ToolDefinition,
  ToolHints,
  ToolInput,
  ToolMarks,
  ToolResult,
} from '../../model/tool.js';
import { timeLeftMs } from '../../wire/deadline.js';
import { authenticate } from './authenticate.js';
import type { Server } from './server.js';
import { askOverLane, askServer, hasLane } from './server-line.js';

/** All combinations of hints and the first mark, shared by ten thousand tools. */
const SHOWN: readonly ToolHints[] = Array.from({ length: 32 }, (_, bits) => shownHints(toHints(bits), toMarks(bits)));

/** A tool of a server, by the name that models know. There may be ten thousand, so it holds names and references. */
export class ServerTool implements Tool {
  readonly name: string;
  readonly tool: string;
  readonly title: string | undefined;
  readonly server: string;
  readonly #bits: number;
  readonly #server: Server;

  constructor(name: string, tool: string, title: string | undefined, bits: number, server: Server) {
    this.name = name;
    this.tool = tool;
    this.title = title;
    this.server = server.name;
    this.#bits = bits;
    this.#server = server;
  }

  get hints(): ToolHints {
    return SHOWN[this.#bits & 31]!;
  }

  get marks(): ToolMarks {
    return toMarks(this.#bits);
  }

  get isOurs(): boolean {
    return this.#server.isOwnTool(this.tool);
  }

  get load(): Tool['load'] {
    return this.#server.server.config.alwaysLoad === true || this.marks.alwaysLoad ? 'always' : 'deferred';
  }

  async definition(): Promise<ToolDefinition | undefined> {
    const found = await this.#server.toolList.tool(this.tool);
    return found && toDefinition(this.name, found);
  }

  async serverDefinition(): Promise<ServerDefinition | undefined> {
    return this.isOurs ? undefined : this.#server.catalog.serverDefinition('tools', this.tool);
  }

  call(input: ToolInput, context: CallContext): Promise<ToolResult> {
    const server = this.#server.current;
    if (!server) return Promise.resolve(refusedResult(goneServer(this.server)));
    const { signal, caller } = context;
    // The time for questions to the user does not count: they have been asked.
    const timeoutMs = context.timeoutMs ?? server.callTimeoutMs;
    if (server.isOwnTool(this.tool)) return authenticate(server, { signal, timeoutMs });
    const operation = server.toOperation(this.tool, input, context);
    const began = server.clock.monotonic();
    if (operation instanceof Promise) return this.#callLater(operation, { server, input, context, began, timeoutMs });
    const asked =
      caller && hasLane(caller)
        ? askOverLane(server, operation, { signal, timeoutMs, began, caller })
        : server.ask(operation, { signal, timeoutMs }, began);
    return asked.then((carried) => {
      server.called(carried);
      return isOvertaken(carried, server)
        ? this.call(input, { ...context, timeoutMs: timeLeftMs(timeoutMs, server.clock.monotonic() - began) })
        : toResult(carried, operation.kept);
    });
  }

  /** Makes the call after what has to be loaded; the wait counts towards the timeout. */
  async #callLater(
    later: Promise<ToolOperation>,
    { server, input, context, began, timeoutMs }: LaterCall,
  ): Promise<ToolResult> {
    const left = (): number => timeLeftMs(timeoutMs, server.clock.monotonic() - began);
    const operation = await later;
    const { signal, caller } = context;
    const carried = await askServer(server, operation, { signal, caller, timeoutMs: left() });
    server.called(carried);
    return isOvertaken(carried, server)
      ? this.call(input, { ...context, timeoutMs: left() })
      : toResult(carried, operation.kept);
  }
}

interface LaterCall {
  readonly server: Server;
  readonly input: ToolInput;
  readonly context: CallContext;
  readonly began: number;
  readonly timeoutMs: number;
}

/** Whether the call waited for a server that was replaced meanwhile, because its entry was edited. */
function isOvertaken(carried: RetriedOutcome<ToolAnswer>, server: Server): boolean {
  const isUnsent = carried.attempts === 0 && carried.outcome !== 'ok' && carried.error.code === 'connection-closed';
  return isUnsent && server.current !== undefined && server.current !== server;
}

function toResult(carried: RetriedOutcome<ToolAnswer>, kept: KeptServerResult | undefined): ToolResult {
  if (!kept) return toShaped(carried);
  return { ...toShaped(carried), ...kept.toField(carried.outcome === 'ok' ? undefined : carried.error) };
}

function toShaped(carried: RetriedOutcome<ToolAnswer>): ToolResult {
  return carried.isNewLane ? { isNewLane: true, ...toAsked(carried) } : toAsked(carried);
}

function toAsked(carried: RetriedOutcome<ToolAnswer>): ToolResult {
  const { attempts } = carried;
  if (carried.outcome !== 'ok') return failed(carried.outcome, carried.error, attempts);
  const { isError, structuredContent, saved, notes, broken } = carried.result;
  // Whether the blocks are what their types say is seen to where results are shaped.
  const content = carried.result.content as readonly ContentBlock[];
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

function goneServer(server: string): HostError {
  return new HostError('unknown-server', `Server "${server}" is no longer configured`, { hint: 'plugboard list' });
}

export function toDefinition(name: string, tool: ServerToolDefinition): ToolDefinition {
  return { ...tool, name };
}
