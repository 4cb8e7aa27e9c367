import { NO_REASON, readPostAnswer, readPreAnswer, readReply } from '../model/hooks/hook-answer.js';
import type { HookCall, Elicitation, ElicitationReply, PostAnswer, PreAnswer } from '../model/hooks/hook-call.js';
import type { CommandEvent } from './hook-command.js';
import type { FinishedCall } from './hook-functions.js';
import type { HooksOptions } from './hooks.js';

/** The three hook events as commands see them; the field names are those of existing hooks for other hosts. */
export interface HookEvents {
  readonly pre: CommandEvent<HookCall, PreAnswer>;
  readonly post: CommandEvent<FinishedCall, PostAnswer>;
  readonly elicitation: CommandEvent<Elicitation, ElicitationReply>;
}

export function eventFormats({ cwd, session }: Pick<HooksOptions, 'cwd' | 'session'>): HookEvents {
  const about = (event: string): object => ({
    ...(session !== undefined && { session_id: session }),
    cwd,
    hook_event_name: event,
  });
  return {
    pre: {
      toInput: (call) => ({ ...about('PreToolUse'), ...toolFields(call) }),
      read: readPreAnswer,
      refuse: (reason) => ({ decision: 'deny', reason: reason || NO_REASON }),
    },
    post: {
      toInput: ({ call, result, ms }) => ({
        ...about('PostToolUse'),
        ...toolFields(call),
        tool_response: {
          content: result.content,
          ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
          // There is no separate event for failures: a PostToolUse hook sees all results.
          isError: result.outcome !== 'ok',
          ...(result.error && { error: result.error.message }),
        },
        duration_ms: Math.round(ms),
      }),
      read: readPostAnswer,
      refuse: (reason) => ({ block: reason || NO_REASON }),
    },
    elicitation: {
      toInput: ({ server, mode, message, requestedSchema, url, elicitationId }) => ({
        ...about('Elicitation'),
        mcp_server_name: server,
        mcp_server: { name: server },
        mode,
        message,
        ...(requestedSchema !== undefined && { requested_schema: requestedSchema }),
        ...(url !== undefined && { url }),
        ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
      }),
      read: readReply,
      refuse: () => ({ action: 'decline' }),
    },
  };
}

function toolFields({ name, server, source, input, callId, mode }: HookCall): object {
  return {
    permission_mode: mode,
    tool_name: name,
    tool_input: input,
    tool_use_id: callId,
    ...(server !== undefined && { mcp_server: { name: server, source } }),
  };
}
