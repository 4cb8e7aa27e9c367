import { isObject } from '../base/json.js';
import type { FlowFinding } from '../model/flow/flow-finding.js';
import { showInput } from '../model/permissions/show-input.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import type { Decision } from '../model/permissions/decision.js';
import { gateLine } from '../model/text/text-gate.js';
import type { StatedHints } from '../model/stated-hints.js';
import type { ToolHints, ToolInput } from '../model/tool.js';

/** What the user is asked before a tool is called, with all that the decision needs. */
export interface PermissionQuestion {
  readonly kind: 'permit';
  /** The id of the call in the ledger and in `CallResult`. */
  readonly callId: string;
  /** The tool's name as the model knows it. */
  readonly name: string;
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  /** The tool's name as its server spells it, without hidden characters. */
  readonly tool: string;
  /** The tool's name for people, cleaned; undefined where the server gave none. */
  readonly title: string | undefined;
  /** What the server claims of its tool: to be shown, not to be relied on. */
  readonly hints: ToolHints;
  /** The hints that the server itself states about the tool; undefined for a tool that is built in. */
  readonly stated?: StatedHints | undefined;
  /** The input exactly as it will be sent. */
  readonly input: ToolInput;
  /** The input for display: hidden characters are made visible, omissions are marked. */
  readonly shown: string;
  /** Why the user is asked. */
  readonly reason: string;
  /** The rule that `always` would write. */
  readonly rule: string;
  /** How long an answer may hold: the choices to offer. */
  readonly offers: readonly Remember[];
  /** What differs from the definition that the user allowed. */
  readonly change?: readonly string[];
  /**
   * Why the call may send out what was read, which arguments repeat what, and where that was read. Then `rule` is one of
   * `flow.allow`, and `session` and `always` let such flows pass, not all calls of the tool.
   */
  readonly flow?: FlowFinding;
}

/** For how long a permission answer holds. */
export type Remember = 'once' | 'session' | 'always';

/** The answer to a permission question. */
export type PermissionAnswer =
  /** `input`: sent in place of the input that was asked about. It is checked against the schema like any other. */
  | { readonly kind: 'allow'; readonly remember: Remember; readonly input?: ToolInput | undefined }
  /** `isWhole`: the model reads the reason alone, without who denied which call. */
  | { readonly kind: 'deny'; readonly reason?: string; readonly isWhole?: boolean };

/** Asks the user whether a tool may be called. Contract: stops waiting when the signal aborts. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

export interface QuestionParts {
  readonly subject: PermissionSubject;
  readonly decision: Decision;
  readonly callId: string;
  readonly input: ToolInput;
  readonly change: readonly string[] | undefined;
  readonly stated?: StatedHints | undefined;
  /** The answer is for this call alone, whatever it says. */
  readonly isForOneCall?: boolean;
}

export function toPermissionQuestion({
  subject,
  decision,
  callId,
  input,
  change,
  stated,
  isForOneCall = false,
}: QuestionParts): PermissionQuestion {
  const { name, server, tool, title, hints, flow } = subject;
  return {
    kind: 'permit',
    callId,
    name,
    server,
    tool: gateLine(tool, { limit: NAME_SHOWN }).text,
    title,
    hints,
    // Without a definition of the server nothing counts as stated: Plugboard vouches only for its own tools.
    stated: subject.author === 'built-in' ? undefined : (stated ?? {}),
    input,
    shown: showInput(input),
    reason: decision.reason,
    rule: decision.by.kind === 'flow' && flow ? flow.finding.rules.join(', ') : name,
    offers: isForOneCall ? ['once'] : offersFor(decision, subject),
    ...(change && { change }),
    ...(flow && { flow: flow.finding }),
  };
}

const NAME_SHOWN = 300;

/** When every single call must be asked about, an answer holds only once. */
function offersFor({ by }: Decision, { name, isClaimed, flow }: PermissionSubject): readonly Remember[] {
  if (by.kind === 'flow') {
    if (flow?.finding.kind === 'fault') return ['once'];
    return flow?.finding.scope === undefined ? ['once', 'session'] : ['once', 'session', 'always'];
  }
  const isEveryTime =
    by.kind === 'needs-user' || by.kind === 'hook' || by.kind === 'rule' || by.kind === 'doubt' || by.kind === 'secret';
  if (isEveryTime) return ['once'];
  // A rule by this name would also match tools of another server, so it would permit nothing.
  return isClaimed?.(name) === true ? ['once', 'session'] : ['once', 'session', 'always'];
}

/** Reads an embedder's answer. An invalid one is a denial. */
export function readPermissionAnswer(answer: unknown, offers: readonly Remember[]): PermissionAnswer {
  if (!isObject(answer)) return { kind: 'deny', reason: 'the answer was none' };
  const { kind, remember, reason, input, isWhole } = answer;
  if (kind === 'allow') {
    const lasting = offers.find((offer) => offer === remember);
    if (input !== undefined && !isObject(input))
      return { kind: 'deny', reason: 'the input of the answer was no object' };
    return { kind: 'allow', remember: lasting ?? 'once', ...(input && { input }) };
  }
  return { kind: 'deny', ...(typeof reason === 'string' && { reason }), ...(isWhole === true && { isWhole }) };
}
