import { isObject, type JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { HookOutput, ElicitationReply, PostAnswer, PreAnswer } from './hook-call.js';
import type { HookEvent } from './hook-settings.js';

// Reads what a hook's command prints, strictly: a field with a wrong value fails the hook instead of being ignored,
// because the output decides about a call. The field names are those that hooks of other hosts use.

/** A hook's output cannot be understood. The message continues a sentence that begins with "it". */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

type Fields = { readonly [field: string]: unknown };

/** Throws `BadAnswer`. */
export function readPreAnswer(said: Fields): PreAnswer {
  const own = specificTo('PreToolUse', said);
  // A deny in the wrong place would otherwise be ignored.
  if (said['permissionDecision'] !== undefined)
    throw new BadAnswer('says permissionDecision outside hookSpecificOutput');
  if (own['decision'] !== undefined) throw new BadAnswer('says decision inside hookSpecificOutput');
  const stop = stopReason(said);
  if (stop !== undefined) return { decision: 'deny', reason: stop };
  const input = own['updatedInput'];
  if (input !== undefined && !isObject(input)) throw wrong('updatedInput', 'an object', input);
  return {
    decision: choice(own, 'permissionDecision', ['allow', 'deny', 'ask']) ?? olderDecision(said),
    reason: text(own, 'permissionDecisionReason') ?? text(said, 'reason'),
    input,
    context: text(own, 'additionalContext'),
  };
}

/** Throws `BadAnswer`. */
export function readPostAnswer(said: Fields): PostAnswer {
  const own = specificTo('PostToolUse', said);
  const decision = choice(said, 'decision', ['block', 'approve']);
  const reason = text(said, 'reason');
  const isBlocked = decision === 'block';
  return {
    block: stopReason(said) ?? (isBlocked ? (reason ?? NO_REASON) : undefined),
    output: own['updatedMCPToolOutput'] === undefined ? undefined : readOutput(own['updatedMCPToolOutput']),
    context: text(own, 'additionalContext'),
  };
}

/** Returns undefined when the hook has no answer and the next one is to be asked. Throws `BadAnswer`. */
export function readReply(said: Fields): ElicitationReply | undefined {
  const own = specificTo('Elicitation', said);
  const answer = own['action'] === undefined ? said : own;
  const action = choice(answer, 'action', ['accept', 'decline', 'cancel']);
  if (stopReason(said) !== undefined || choice(said, 'decision', ['block', 'approve']) === 'block') {
    return { action: 'decline' };
  }
  if (action === undefined) return undefined;
  const { content } = answer;
  if (content !== undefined && !isObject(content)) throw wrong('content', 'an object', content);
  return action === 'accept' ? { action, content } : { action };
}

export const NO_REASON = 'it gave no reason';

/** Takes a text, a list of blocks, or an object with `content` and `structuredContent`. Throws `BadAnswer`. */
export function readOutput(output: unknown): HookOutput {
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] };
  if (Array.isArray(output)) return { content: output.map(readBlock) };
  if (!isObject(output)) throw wrong('updatedMCPToolOutput', 'a text, a list or an object', output);
  const { content = [], structuredContent } = output;
  if (!Array.isArray(content)) throw wrong('updatedMCPToolOutput.content', 'a list', content);
  if (structuredContent !== undefined && !isObject(structuredContent))
    throw wrong('updatedMCPToolOutput.structuredContent', 'an object', structuredContent);
  return { content: content.map(readBlock), ...(structuredContent !== undefined && { structuredContent }) };
}

function readBlock(block: unknown): JsonObject {
  if (!isObject(block)) throw wrong('a block of updatedMCPToolOutput', 'an object', block);
  const { type } = block;
  if (typeof type !== 'string') throw wrong('type in a block of updatedMCPToolOutput', 'a text', type);
  const needed = BLOCK_FIELDS.get(type);
  if (!needed) throw new BadAnswer(`answers with a block of the type ${quoted(type)}, which there is not`);
  for (const field of needed) {
    const value = block[field];
    const isThere = field === 'resource' ? isObject(value) : typeof value === 'string';
    if (!isThere)
      throw wrong(`${field} in a block of the type ${type}`, field === 'resource' ? 'an object' : 'a text', value);
  }
  return block;
}

const BLOCK_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource', ['resource']],
  ['resource_link', ['uri']],
]);

/** The fields for this event. Throws when the hook answered to another event. */
function specificTo(event: HookEvent, said: Fields): Fields {
  const own = said['hookSpecificOutput'];
  if (own === undefined || own === null) return {};
  if (!isObject(own)) throw wrong('hookSpecificOutput', 'an object', own);
  const name = own['hookEventName'];
  if (name !== undefined && name !== event)
    throw new BadAnswer(`answers to ${quoted(name)} and was asked about ${event}`);
  return own;
}

/** The form that hooks used before `permissionDecision` existed. */
function olderDecision(said: Fields): 'allow' | 'deny' | undefined {
  const decision = choice(said, 'decision', ['block', 'approve']);
  return decision && (decision === 'block' ? 'deny' : 'allow');
}

function stopReason(said: Fields): string | undefined {
  const goes = said['continue'];
  if (goes !== undefined && typeof goes !== 'boolean') throw wrong('continue', 'true or false', goes);
  return goes === false ? (text(said, 'stopReason') ?? NO_REASON) : undefined;
}

function text(from: Fields, field: string): string | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(field, 'a text', value);
  return value;
}

function choice<const Value extends string>(from: Fields, field: string, values: readonly Value[]): Value | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  const chosen = values.find((one) => one === value);
  if (chosen === undefined) throw wrong(field, values.join(', '), value);
  return chosen;
}

function wrong(field: string, wanted: string, value: unknown): BadAnswer {
  return new BadAnswer(`says ${quoted(value)} for ${field}, which has to be ${wanted}`);
}

function quoted(value: unknown): string {
  if (typeof value !== 'string') return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return JSON.stringify(shorten(value, QUOTED_LENGTH));
}

const QUOTED_LENGTH = 60;
