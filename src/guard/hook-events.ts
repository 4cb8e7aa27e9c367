import { attempt } from '../base/attempt.js';
import { NO_REASON } from '../model/hooks/answer-fields.js';
import { readPermissionHookAnswer, readPostAnswer, readPreAnswer, readReply } from '../model/hooks/hook-answer.js';
import type {
  AnsweredElicitation,
  Elicitation,
  ElicitationReply,
  FinishedCall,
  HookCall,
  PermissionHookAnswer,
  PermissionRequest,
  PostAnswer,
  PreAnswer,
} from '../model/hooks/hook-call.js';
import type { HookEvent } from '../model/hooks/hook-settings.js';
import { toPublishedMode } from '../model/hooks/published-mode.js';
import { readSessionAnswer, type SessionHookAnswer, type SessionHookEvent } from '../model/hooks/session-answer.js';
import type { HookSession } from '../model/hooks/session-hooks.js';
import { isInterrupted, toErrorText, toToolResponse } from '../model/hooks/tool-response.js';
import { type EventFormat, HookFailure } from './hook.js';

/** An event of a session. */
export interface SessionQuestion {
  /** What matchers are compared with; undefined for events without matchers. */
  readonly about: string | undefined;
  /** The fields of the event. */
  readonly fields: object;
}

/** The hook events as commands and callbacks see them; the field names are those of existing hooks for other hosts. */
export interface EventFormats {
  readonly pre: EventFormat<HookCall, PreAnswer>;
  readonly permission: EventFormat<PermissionRequest, PermissionHookAnswer>;
  readonly post: EventFormat<FinishedCall, PostAnswer>;
  readonly failure: EventFormat<FinishedCall, PostAnswer>;
  readonly elicitation: EventFormat<Elicitation, ElicitationReply>;
  readonly elicitationResult: EventFormat<AnsweredElicitation, ElicitationReply>;
  readonly session: (event: SessionHookEvent) => EventFormat<SessionQuestion, SessionHookAnswer>;
}

export interface EventFormatsOptions {
  readonly cwd: string;
  /** The session that the host works for. */
  readonly session?: (() => HookSession | undefined) | undefined;
  /** The permission mode where no call is concerned. */
  readonly mode?: (() => string) | undefined;
}

export function eventFormats({ cwd, session, mode }: EventFormatsOptions): EventFormats {
  const common = (event: HookEvent, ownMode: string | undefined = mode?.()): object => {
    const { id, transcriptPath, promptId } = attempt(() => session?.()) ?? {};
    return {
      ...(id !== undefined && { session_id: id }),
      ...(transcriptPath !== undefined && { transcript_path: transcriptPath }),
      cwd,
      ...(ownMode !== undefined && { permission_mode: toPublishedMode(ownMode) }),
      hook_event_name: event,
      ...(promptId !== undefined && { prompt_id: promptId }),
    };
  };
  const ofCall = (event: HookEvent, call: HookCall): object => ({
    ...common(event, call.mode),
    ...callFields(call),
    tool_use_id: call.callId,
  });
  const finished = {
    subjectOf: ({ call }: FinishedCall) => call.name,
    callIdOf: ({ call }: FinishedCall) => call.callId,
    refuse: (reason: string) => ({ block: reason || NO_REASON }),
  };
  return {
    pre: {
      event: 'PreToolUse',
      subjectOf: ({ name }) => name,
      callIdOf: ({ callId }) => callId,
      toInput: (call) => ofCall('PreToolUse', call),
      read: readPreAnswer,
      refuse: (reason) => ({ decision: 'deny', reason: reason || NO_REASON }),
    },
    permission: {
      event: 'PermissionRequest',
      subjectOf: ({ call }) => call.name,
      callIdOf: ({ call }) => call.callId,
      toInput: ({ call, rule }) => ({
        ...common('PermissionRequest', call.mode),
        ...callFields(call),
        permission_suggestions: rule === undefined ? [] : [suggestion(rule)],
      }),
      read: readPermissionHookAnswer,
      refuse: (reason) => ({ decision: 'deny', reason: reason || NO_REASON }),
    },
    post: {
      event: 'PostToolUse',
      ...finished,
      toInput: (done) => ({
        ...ofCall('PostToolUse', done.call),
        ...toToolResponse(done),
        duration_ms: Math.round(done.ms),
      }),
      read: (said) => readPostAnswer('PostToolUse', said),
    },
    failure: {
      event: 'PostToolUseFailure',
      ...finished,
      toInput: (done) => ({
        ...ofCall('PostToolUseFailure', done.call),
        error: toErrorText(done),
        is_interrupt: isInterrupted(done.result, done.call.signal),
        duration_ms: Math.round(done.ms),
      }),
      read: (said) => readPostAnswer('PostToolUseFailure', said),
    },
    elicitation: {
      event: 'Elicitation',
      subjectOf: ({ server }) => server,
      toInput: (question) => ({ ...common('Elicitation'), ...questionFields(question) }),
      read: (said) => readReply('Elicitation', said),
      refuse: () => ({ action: 'decline' }),
    },
    elicitationResult: {
      event: 'ElicitationResult',
      subjectOf: ({ question }) => question.server,
      toInput: ({ question, reply: { action, content } }) => ({
        ...common('ElicitationResult'),
        ...questionFields(question),
        action,
        ...(content !== undefined && { content }),
      }),
      read: (said) => readReply('ElicitationResult', said),
      refuse: () => ({ action: 'decline' }),
    },
    session: (event) => ({
      event,
      subjectOf: ({ about }) => about,
      toInput: ({ fields }) => ({ ...common(event), ...fields }),
      read: (said) => readSessionAnswer(event, said),
      refuse: (reason) => {
        if (REFUSABLE.has(event)) return { block: reason || NO_REASON };
        throw new HookFailure('exited with code 2', { detail: reason });
      },
      // These two events exist to tell the model something, and `echo` is how most of their hooks do it.
      ...((event === 'UserPromptSubmit' || event === 'SessionStart') && { readText: (context) => ({ context }) }),
    }),
  };
}

/** The events of a session that a hook can say no to. */
const REFUSABLE: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'Stop', 'PreCompact']);

function callFields({ name, server, source, input }: HookCall): object {
  return {
    tool_name: name,
    tool_input: input,
    ...(server !== undefined && { mcp_server: { name: server, source } }),
  };
}

function questionFields({ server, mode, message, requestedSchema, url, elicitationId }: Elicitation): object {
  return {
    mcp_server_name: server,
    mcp_server: { name: server },
    mode,
    message,
    ...(requestedSchema !== undefined && { requested_schema: requestedSchema }),
    ...(url !== undefined && { url }),
    ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
  };
}

/** What a person's "always" would write. */
function suggestion(rule: string): object {
  return { type: 'addRules', rules: [{ toolName: rule }], behavior: 'allow', destination: 'localSettings' };
}
