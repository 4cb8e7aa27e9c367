import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { HookEvent } from './hook-settings.js';

// What all answers of hooks have in common. The field names are those that hooks of other hosts use.

/** A hook's output cannot be understood. The message continues a sentence that begins with "it". */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

export type AnswerFields = { readonly [field: string]: unknown };

/** The common part of an answer, checked. */
export interface HookAnswer {
  /** Where no event has a place of its own for a field, it is at the top. */
  readonly top: AnswerFields;
  /** `hookSpecificOutput`: the fields of the event. */
  readonly own: AnswerFields;
  /** The reason of `continue: false`. */
  readonly stop: string | undefined;
  readonly decision: 'approve' | 'block' | undefined;
  readonly reason: string | undefined;
  /** The hook decides nothing now: `async: true`. */
  readonly isAsync: boolean;
}

/** Refuses every field that the event does not have: a misspelt "no" would pass for no opinion. Throws `BadAnswer`. */
export function readHookAnswer(event: HookEvent, said: AnswerFields): HookAnswer {
  const top = TOP_FIELDS.concat(event === 'Elicitation' || event === 'ElicitationResult' ? REPLY_FIELDS : []);
  for (const field of Object.keys(said)) {
    if (top.includes(field)) continue;
    if (EVERY_OWN_FIELD.has(field)) throw new BadAnswer(`says ${field} outside hookSpecificOutput`);
    throw new BadAnswer(`answers with the field ${quoteAnswer(field)}, which there is not`);
  }
  const own = ownFields(event, said['hookSpecificOutput']);
  const isAsync = flagIn(said, 'async') ?? false;
  flagIn(said, 'suppressOutput');
  textIn(said, 'systemMessage');
  const decision = choiceIn(said, 'decision', ['approve', 'block']);
  const stop = flagIn(said, 'continue') === false ? (textIn(said, 'stopReason') ?? NO_REASON) : undefined;
  return { top: said, own, stop, decision, reason: textIn(said, 'reason'), isAsync };
}

/** The same where the decision is needed now. Throws `BadAnswer`. */
export function readImmediateAnswer(event: HookEvent, said: AnswerFields): HookAnswer {
  const answer = readHookAnswer(event, said);
  if (answer.isAsync) throw new BadAnswer('answers later (async), and its decision is needed now');
  return answer;
}

export const NO_REASON = 'it gave no reason';

export function textIn(from: AnswerFields, field: string): string | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongValue(field, 'a text', value);
  return value;
}

export function flagIn(from: AnswerFields, field: string): boolean | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw wrongValue(field, 'true or false', value);
  return value;
}

export function choiceIn<const Value extends string>(
  from: AnswerFields,
  field: string,
  values: readonly Value[],
): Value | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  const chosen = values.find((one) => one === value);
  if (chosen === undefined) throw wrongValue(field, values.join(', '), value);
  return chosen;
}

export function objectIn(from: AnswerFields, field: string): AnswerFields | undefined {
  const value = from[field];
  if (value === undefined) return undefined;
  if (!isObject(value)) throw wrongValue(field, 'an object', value);
  return value;
}

/** Throws for a field that is not in the list. */
export function refuseOthers(from: object, fields: readonly string[], where: string): void {
  const other = Object.keys(from).find((field) => !fields.includes(field));
  if (other !== undefined)
    throw new BadAnswer(`says ${shorten(other, QUOTED_LENGTH)} inside ${where}, where it means nothing`);
}

export function wrongValue(field: string, wanted: string, value: unknown): BadAnswer {
  return new BadAnswer(`says ${quoteAnswer(value)} for ${field}, which has to be ${wanted}`);
}

export function quoteAnswer(value: unknown): string {
  if (typeof value !== 'string') return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return JSON.stringify(shorten(value, QUOTED_LENGTH));
}

/** Throws when the hook answered to another event. */
function ownFields(event: HookEvent, own: unknown): AnswerFields {
  if (own === undefined || own === null) return {};
  if (!isObject(own)) throw wrongValue('hookSpecificOutput', 'an object', own);
  const name = own['hookEventName'];
  if (name !== undefined && name !== event)
    throw new BadAnswer(`answers to ${quoteAnswer(name)} and was asked about ${event}`);
  refuseOthers(own, ['hookEventName', ...OWN_FIELDS[event]], 'hookSpecificOutput');
  return own;
}

const QUOTED_LENGTH = 60;

const TOP_FIELDS: readonly string[] = [
  'continue',
  'stopReason',
  'suppressOutput',
  'decision',
  'reason',
  'systemMessage',
  'terminalSequence',
  'async',
  'asyncTimeout',
  'hookSpecificOutput',
];

/** Hooks that answer elicitations may write these at the top. */
const REPLY_FIELDS: readonly string[] = ['action', 'content'];

const OUTPUT_FIELDS: readonly string[] = [
  'additionalContext',
  'classifierContext',
  'updatedMCPToolOutput',
  'updatedToolOutput',
];

/** The fields of `hookSpecificOutput`; some decide nothing here, and are accepted because other hosts have them. */
const OWN_FIELDS: Readonly<Record<HookEvent, readonly string[]>> = {
  PreToolUse: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  PermissionRequest: ['decision'],
  PostToolUse: OUTPUT_FIELDS,
  PostToolUseFailure: OUTPUT_FIELDS,
  Elicitation: REPLY_FIELDS,
  ElicitationResult: REPLY_FIELDS,
  UserPromptSubmit: ['additionalContext', 'sessionTitle', 'suppressOriginalPrompt'],
  SessionStart: ['additionalContext', 'initialUserMessage', 'sessionTitle', 'watchPaths', 'reloadSkills'],
  SessionEnd: [],
  Stop: ['additionalContext'],
  PreCompact: [],
  PostCompact: [],
};

const EVERY_OWN_FIELD: ReadonlySet<string> = new Set(Object.values(OWN_FIELDS).flat());
