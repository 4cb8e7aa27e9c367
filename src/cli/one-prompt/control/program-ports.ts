import type { ControlChannel } from '../../../actions/control.js';
import type { HostError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json.js';
import type { HookCallback, Host, Ports } from '../../../index.js';
import { openToolDelegate } from '../permission-tool.js';
import { askByProgram } from './ask-program.js';
import { type AskProgram, toCallbackHooks } from './callback-hooks.js';
import { elicitByProgram } from './elicit-program.js';

export interface ProgramPortsOptions {
  readonly channel: ControlChannel;
  /** What decides about calls: a tool, or `stdio`, the program itself; undefined: nobody does. */
  readonly permissionTool: string | undefined;
  readonly mayBypass: boolean;
  /** Hooks that `initialize` brought. */
  readonly hooks: JsonObject | undefined;
  /** The program has sent `initialize`: it answers what servers want to know. */
  readonly isInitialized: boolean;
  readonly host: () => Host | undefined;
  readonly stop: (reason: HostError) => void;
  /** Contract: must not throw. */
  readonly onNote: (note: string) => void;
}

/** What the program that drives this one does in place of a user. */
export interface ProgramPorts {
  readonly ports: Pick<Partial<Ports>, 'ask' | 'elicit'>;
  readonly hookCallbacks: readonly HookCallback[];
  /** Whether the program was asked about this call. */
  isAsked(callId: string): boolean;
}

/** Throws `config-invalid` for a hook that cannot be read. */
export function programPorts(options: ProgramPortsOptions): ProgramPorts {
  const { channel, permissionTool: tool, hooks, isInitialized, host, stop, mayBypass, onNote } = options;
  const asked = new Set<string>();
  const ask: AskProgram = (request, signal) => {
    const { subtype, tool_use_id: callId } = request;
    if (subtype === 'can_use_tool' && typeof callId === 'string') asked.add(callId);
    return channel.question(request, signal);
  };
  const { callbacks, notes } = toCallbackHooks(hooks, ask);
  for (const note of notes) onNote(note);
  const decide =
    tool === undefined
      ? undefined
      : tool === 'stdio'
        ? askByProgram({ ask, host, stop, mayBypass, onNote })
        : openToolDelegate(tool, { host, stop });
  return {
    ports: { ...(decide && { ask: decide }), ...(isInitialized && { elicit: elicitByProgram(ask) }) },
    hookCallbacks: callbacks,
    isAsked: (callId) => asked.delete(callId),
  };
}
