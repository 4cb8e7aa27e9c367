import type { HostError } from '../../base/errors.js';
import type { CallDetails, ComparedDefinition, PermissionGuard } from '../../guard/permission-guard.js';
import type { Decision } from '../../model/permissions/decision.js';
import type { Tool, ToolDefinition, ToolInput } from '../../model/tool.js';
import type { PinWatch } from './pin-watch.js';
import type { ToolCall } from './pipeline.js';
import type { Configuration } from '../servers/configuration.js';
import type { CallFlows } from './call-flows.js';
import type { PermissionSubjects } from './permission-subjects.js';

type Placed = Pick<ToolCall, 'tool' | 'context'>;

export interface ForesightOptions {
  readonly configuration: Configuration;
  readonly guard: PermissionGuard;
  readonly pins: PinWatch;
  readonly subjects: PermissionSubjects;
  readonly flows: CallFlows;
  readonly guardDetailsOf: (call: Placed) => Pick<CallDetails, 'serverHash' | 'entryHash' | 'definitionHash'>;
  readonly waitForFreshList: (call: Placed, server: string) => Promise<HostError | undefined>;
}

/** A tool as its server defines it now, compared with the definition that the user allowed. */
export interface ForeseenTool extends ComparedDefinition {
  /** Read from the server now, not from the cache. */
  readonly definition: ToolDefinition;
  /** Why `mcp.lock` blocks the tool, even if the user allowed it. */
  readonly aside?: string;
  /** The server is pinned, and its lock does not have this tool. */
  readonly isUnpinned: boolean;
}

/** Tells what would be decided about a call of a tool, without calling it. */
export class Foresight {
  readonly #parts: ForesightOptions;

  constructor(parts: ForesightOptions) {
    this.#parts = parts;
  }

  /**
   * The decision about a call of this tool, with this input if given: it may matter, for a file that holds secrets. Asks
   * the tool's server only where the current definition matters. Never rejects: an input that throws when it is read
   * counts as none, since a call with it would fail.
   */
  async decision(tool: Tool, input?: ToolInput, conversation?: string): Promise<Decision> {
    try {
      return await this.#decide(tool, input, conversation);
    } catch (cause) {
      if (!input) throw cause;
      return this.#decide(tool);
    }
  }

  async #decide(tool: Tool, input?: ToolInput, conversation?: string): Promise<Decision> {
    const { guard, subjects, flows, guardDetailsOf } = this.#parts;
    const placed = toPlaced(tool);
    if (input) await tool.prepare?.(input, placed.context);
    const subject = input ? subjects.ofCall({ tool, input, isTyped: false }) : subjects.of(tool);
    const context = { ...placed.context, conversation };
    const flow = input && flows.look({ tool, input, context, isTyped: false }, true);
    const decision = await guard.foresee(
      flow && flow.isLet !== true ? { ...subject, flow } : subject,
      guardDetailsOf(placed),
    );
    const reason = decision.behavior === 'deny' ? undefined : await this.#asideReason(tool);
    const file = this.#parts.configuration.loaded.locks.get(tool.server ?? '')?.file;
    return reason === undefined || file === undefined
      ? decision
      : { behavior: 'deny', by: { kind: 'lock', file }, reason };
  }

  /**
   * Fetches and compares a tool's definition. Returns the server's error; undefined if there is no definition. Never
   * rejects.
   */
  async compare(tool: Tool): Promise<ForeseenTool | HostError | undefined> {
    const { guard, subjects, guardDetailsOf, waitForFreshList } = this.#parts;
    if (tool.server === undefined || tool.isOurs) return undefined;
    const placed = toPlaced(tool);
    const late = await waitForFreshList(placed, tool.server);
    if (late) return late;
    const subject = subjects.of(tool);
    const compared = await guard.compareDefinition(subject, guardDetailsOf(placed));
    const definition = await tool.definition();
    if (!compared || !definition) return undefined;
    const aside = await this.#asideReason(tool);
    return { ...compared, definition, isUnpinned: subject.isUnpinned === true, ...(aside !== undefined && { aside }) };
  }

  /** Remembers that the user has allowed this definition. */
  accept(tool: Tool, looked: ForeseenTool): void {
    const { guard, subjects, guardDetailsOf } = this.#parts;
    guard.accept(subjects.of(tool), guardDetailsOf(toPlaced(tool)), looked);
  }

  async #asideReason(tool: Tool): Promise<string | undefined> {
    const { pins, waitForFreshList } = this.#parts;
    const { server } = tool;
    if (server === undefined || tool.isOurs || !pins.isPinned(server)) return undefined;
    await waitForFreshList(toPlaced(tool), server);
    const definition = await tool.definition();
    return definition && pins.judgeTool(server, { ...definition, name: tool.tool });
  }
}

function toPlaced(tool: Tool): Placed {
  return { tool, context: { callId: '' } };
}
