import type { HostError } from '../../base/errors.js';
import { writtenHash } from '../../config/entries/config-hash.js';
import type { CallDetails, ComparedDefinition, PermissionGuard } from '../../guard/permission-guard.js';
import type { Decision } from '../../model/permissions/decision.js';
import type { Tool, ToolDefinition } from '../../model/tool.js';
import type { PinWatch } from './pin-watch.js';
import type { ToolCall } from './pipeline.js';
import type { Configuration } from '../servers/configuration.js';
import type { Servers } from '../servers/servers.js';
import type { PermissionSubjects } from './permission-subjects.js';

type Placed = Pick<ToolCall, 'tool' | 'context'>;

export interface ForesightOptions {
  readonly configuration: Configuration;
  readonly guard: PermissionGuard;
  readonly pins: PinWatch;
  readonly subjects: PermissionSubjects;
  readonly pinOf: (call: Placed) => Pick<CallDetails, 'serverHash' | 'entryHash' | 'definitionHash'>;
  readonly untilSaid: (call: Placed, server: string) => Promise<HostError | undefined>;
}

/** A tool as its server says it is now, beside what the user allowed. */
export interface ForeseenTool extends ComparedDefinition {
  readonly definition: ToolDefinition;
  /** Why `mcp.lock` has it set aside, whoever allowed it. */
  readonly aside?: string;
  /** Its server has a lock that does not have it. */
  readonly isUnpinned: boolean;
}

/** What calls of a tool would meet, without making one. */
export class Foresight {
  readonly #parts: ForesightOptions;

  constructor(parts: ForesightOptions) {
    this.#parts = parts;
  }

  /** What decides. A server is asked only where it depends on what the server says now. Never rejects. */
  async decision(tool: Tool): Promise<Decision> {
    const { guard, subjects, pinOf } = this.#parts;
    const decision = await guard.foresee(subjects.of(tool), pinOf(toPlaced(tool)));
    const reason = decision.behavior === 'deny' ? undefined : await this.#asideReason(tool);
    const file = this.#parts.configuration.loaded.locks.get(tool.server ?? '')?.file;
    return reason === undefined || file === undefined
      ? decision
      : { behavior: 'deny', by: { kind: 'lock', file }, reason };
  }

  /** Asks its server what it is; the reason why that is not to be had. Never rejects. */
  async look(tool: Tool): Promise<ForeseenTool | HostError | undefined> {
    const { guard, subjects, pinOf, untilSaid } = this.#parts;
    if (tool.server === undefined || tool.isOurs) return undefined;
    const placed = toPlaced(tool);
    const late = await untilSaid(placed, tool.server);
    if (late) return late;
    const subject = subjects.of(tool);
    const compared = await guard.look(subject, pinOf(placed));
    const definition = await tool.definition();
    if (!compared || !definition) return undefined;
    const aside = await this.#asideReason(tool);
    return { ...compared, definition, isUnpinned: subject.isUnpinned === true, ...(aside !== undefined && { aside }) };
  }

  /** Remembers that the user has allowed what they looked at. */
  accept(tool: Tool, looked: ForeseenTool): void {
    const { guard, subjects, pinOf } = this.#parts;
    guard.accept(subjects.of(tool), pinOf(toPlaced(tool)), looked);
  }

  async #asideReason(tool: Tool): Promise<string | undefined> {
    const { pins, untilSaid } = this.#parts;
    const { server } = tool;
    if (server === undefined || tool.isOurs || !pins.isPinned(server)) return undefined;
    await untilSaid(toPlaced(tool), server);
    const definition = await tool.definition();
    return definition && pins.judgeTool(server, { ...definition, name: tool.tool });
  }
}

/** What the user allowed of a server is remembered under this: an edit of its entry changes it, a rotated variable does not. */
export function entryHashOf(servers: Servers, { loaded }: Configuration, server: string): string | undefined {
  const { written } = servers.entry(server) ?? {};
  if (!written) return undefined;
  const text = JSON.stringify(written);
  // The same words in two projects mean two programs, where they say so.
  const isPlaced = /\$\{(?:PLUGBOARD|CLAUDE)_PROJECT_DIR\b/u.test(text);
  return writtenHash(isPlaced ? { ...written, '': loaded.context.projectRoot } : written);
}

function toPlaced(tool: Tool): Placed {
  return { tool, context: { callId: '' } };
}
