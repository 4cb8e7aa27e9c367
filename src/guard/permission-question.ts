import { isObject } from '../base/json.js';
import { showInput } from '../model/permissions/show-input.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import type { Decision } from '../model/permissions/decision.js';
import { gateLine } from '../model/text/text-gate.js';
import type { ToolHints, ToolInput } from '../model/tool.js';

/** What somebody is asked before a tool is called, with all they need to decide. */
export interface PermissionQuestion {
  readonly kind: 'permit';
  readonly callId: string;
  /** As the model knows it. */
  readonly name: string;
  readonly server: string | undefined;
  /** As its server spells it, without what would not show. */
  readonly tool: string;
  readonly title: string | undefined;
  readonly hints: ToolHints;
  /** Exactly what will be sent. */
  readonly input: ToolInput;
  /** The same to be read: hidden characters are visible, and what was left out is marked. */
  readonly shown: string;
  /** Why somebody is asked. */
  readonly reason: string;
  /** The rule that `always` would write. */
  readonly rule: string;
  /** How long an answer may hold. */
  readonly offers: readonly Remember[];
  /** What is different since the user allowed it. */
  readonly change?: readonly string[];
}

export type Remember = 'once' | 'session' | 'always';

export type PermissionAnswer =
  | { readonly kind: 'allow'; readonly remember: Remember }
  | { readonly kind: 'deny'; readonly reason?: string };

export interface QuestionParts {
  readonly subject: PermissionSubject;
  readonly decision: Decision;
  readonly callId: string;
  readonly input: ToolInput;
  readonly change: readonly string[] | undefined;
}

export function toPermissionQuestion({ subject, decision, callId, input, change }: QuestionParts): PermissionQuestion {
  const { name, server, tool, title, hints } = subject;
  return {
    kind: 'permit',
    callId,
    name,
    server,
    tool: gateLine(tool, { limit: NAME_SHOWN }).text,
    title,
    hints,
    input,
    shown: showInput(input),
    reason: decision.reason,
    rule: name,
    offers: offersFor(decision, subject),
    ...(change && { change }),
  };
}

const NAME_SHOWN = 300;

/** Whatever wants every call asked about cannot be answered for later ones. */
function offersFor({ by }: Decision, { name, isClaimed }: PermissionSubject): readonly Remember[] {
  const isEveryTime =
    by.kind === 'needs-user' || by.kind === 'hook' || by.kind === 'rule' || by.kind === 'doubt' || by.kind === 'secret';
  if (isEveryTime) return ['once'];
  // A rule by this name would not be one for this tool alone, and permit nothing.
  return isClaimed?.(name) === true ? ['once', 'session'] : ['once', 'session', 'always'];
}

/** What an embedder's answer means. One that means nothing is no permission. */
export function readPermissionAnswer(answer: unknown, offers: readonly Remember[]): PermissionAnswer {
  if (!isObject(answer)) return { kind: 'deny', reason: 'the answer was none' };
  const { kind, remember, reason } = answer;
  if (kind === 'allow') {
    const lasting = offers.find((offer) => offer === remember);
    return { kind: 'allow', remember: lasting ?? 'once' };
  }
  return { kind: 'deny', ...(typeof reason === 'string' && { reason }) };
}
