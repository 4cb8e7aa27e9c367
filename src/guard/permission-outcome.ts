import { HostError } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import type { Decision } from '../model/permissions/decision.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import { gateLine, gateName, gateText } from '../model/text/text-gate.js';
import type { ToolInput } from '../model/tool.js';
import type { PermissionAnswer } from './permission-question.js';
import type { QuestionOutcome } from './question-queue.js';

/** The outcome of a permission check, and what decided it. */
export type PermissionOutcome =
  /** `note`: what the user should know although the call is allowed. `input`: what the user wants sent instead. */
  | { readonly kind: 'allowed'; readonly decision: Decision; readonly note?: string; readonly input?: ToolInput }
  | { readonly kind: 'denied'; readonly decision: Decision; readonly error: HostError };

export function denied(subject: PermissionSubject, decision: Decision): PermissionOutcome {
  const code = decision.by.kind === 'definition' ? 'definition-changed' : 'denied';
  const hint = hintFor(subject, decision);
  const error = new HostError(code, `${gateName(subject.name)} is not called: ${decision.reason}`, { hint });
  return { kind: 'denied', decision: { ...decision, behavior: 'deny' }, error };
}

/** The user would have to be asked, and cannot be. */
export function deniedWithoutUser(subject: PermissionSubject, decision: Decision): PermissionOutcome {
  return denied(subject, { ...decision, reason: `${decision.reason}, and nobody can be asked` });
}

/** `isWhole`: the reason is all that is said. */
export function deniedByPerson(
  subject: PermissionSubject,
  { reason, isWhole = false }: Extract<PermissionAnswer, { readonly kind: 'deny' }>,
): PermissionOutcome {
  const why = reason === undefined ? '' : `: ${gateLine(reason, { limit: 500 }).text}`;
  const words = isWhole && reason !== undefined ? gateText(reason, { limit: REASON_LIMIT }).text.trim() : '';
  const error = new HostError('denied', words || `The user denied the call of ${gateName(subject.name)}${why}`);
  return {
    kind: 'denied',
    decision: { behavior: 'deny', by: { kind: 'person' }, reason: `you denied it${why}` },
    error,
  };
}

/** A question without an answer gives no permission. */
export function deniedUnanswered(
  subject: PermissionSubject,
  decision: Decision,
  asked: Exclude<QuestionOutcome<unknown>, { readonly kind: 'answered' }>,
): PermissionOutcome {
  const toError = (): HostError => {
    if (asked.kind === 'withdrawn') {
      return new HostError('cancelled', `The call of ${gateName(subject.name)} was cancelled before anybody answered`);
    }
    if (asked.kind === 'full') {
      return new HostError(
        'denied',
        `${gateName(subject.name)} is not called: ${asked.waiting} others wait for an answer`,
        {
          hint: 'Answer those, or allow the tool by a rule',
        },
      );
    }
    const said = asked.cause instanceof HostError ? asked.cause.message : String(asked.cause);
    const why = gateLine(said, { limit: 500 }).text;
    return new HostError('denied', `${gateName(subject.name)} is not called: asking failed: ${why}`, {
      hint: hintFor(subject, decision),
      cause: asked.cause,
    });
  };
  return { kind: 'denied', decision: { ...decision, behavior: 'deny' }, error: toError() };
}

/** The server may replace the tool while the user reads the question. */
export function deniedAsChanged(subject: PermissionSubject): PermissionOutcome {
  const reason = 'its definition changed while you were asked';
  return denied(subject, { behavior: 'deny', by: { kind: 'definition' }, reason });
}

/** How to have the call allowed. Suggests an allow rule only where one would work. */
function hintFor(subject: PermissionSubject, { by: decided, because: by = decided }: Decision): string {
  const { name, hints, marks, isClaimed, hasTwin } = subject;
  const word = shellWord(name);
  if (by.kind === 'rule' || by.kind === 'doubt') return `plugboard permissions ${word} shows where that is written`;
  if (by.kind === 'needs-user' || by.kind === 'hook') {
    const where = decided.kind === 'mode' ? 'Use a mode in which you can be asked' : 'Run it where you can be asked';
    return `${where}: no rule allows it`;
  }
  if (by.kind === 'flow') return flowHint(subject, decided);
  if (by.kind === 'definition')
    return `Look at what it is now: plugboard approve ${word} --dry-run. Then: plugboard approve ${word}`;
  if (by.kind === 'unpinned')
    return `Look at it: plugboard approve ${word} --dry-run. Then: plugboard approve ${word}, or --allow ${word}`;
  const isReading = hints.readOnly && !marks.saysDestructive;
  if (by.kind === 'mode' && by.mode === 'plan' && !isReading) return 'Leave mode plan for what is to change something';
  if (isClaimed?.(name) === true) {
    return `A rule "${name}" may mean a tool of another server as well: give one of the two servers another name`;
  }
  // A rule by this name in the user's settings means the user's own server.
  if (hasTwin === true) return `Allow it with --allow ${word}`;
  return `Allow it with --allow ${word}, or add "${name}" to permissions.allow of your settings`;
}

/** Without the rule: the model reads the hint, and so does the page that steers it. */
function flowHint({ flow }: PermissionSubject, decided: Decision['by']): string {
  const open = 'flow.allow of the settings says what may go where';
  if (flow?.isDenied === true) return `flow.mode "ask" asks the user instead, and ${open}`;
  const where = decided.kind === 'mode' ? 'Use a mode in which you can be asked' : 'Run it where you can be asked';
  return flow?.finding.scope === undefined ? where : `${where}; ${open}`;
}

const REASON_LIMIT = 4_096;
