import type { HookCall, PreAnswer, PreVerdict } from '../model/hooks/hook-call.js';
import { NO_REASON } from '../model/hooks/answer-fields.js';
import { gateText } from '../model/text/text-gate.js';
import { CONTEXT_LENGTH, REASON_LENGTH, refusal } from './hook-result.js';

/** Combines the answers of hooks about one call. deny ends it; ask outweighs allow, in any order. */
export class PreHookOutcome {
  /** The call, with the input as the latest hook left it. */
  call: HookCall;
  #isAllowed = false;
  #mustAsk = false;
  #reason: string | undefined;
  #context: string[] | undefined;

  constructor(call: HookCall) {
    this.call = call;
  }

  /** Returns a verdict when no other hook is to be run. */
  take(answer: PreAnswer | undefined): PreVerdict | undefined {
    if (!answer) return undefined;
    const { decision, reason, input, context } = answer;
    if (decision === 'deny') {
      return { kind: 'block', reason: refusal('PreToolUse', this.call.name, reason?.trim() || NO_REASON) };
    }
    if (decision === 'ask' || (decision === 'allow' && !this.#mustAsk)) {
      this.#mustAsk = decision === 'ask';
      this.#isAllowed = decision === 'allow';
      this.#reason = reason === undefined ? undefined : gateText(reason, { limit: REASON_LENGTH }).text;
    }
    if (input !== undefined && input !== this.call.input) this.call = { ...this.call, input };
    if (context !== undefined && context.trim() !== '') {
      (this.#context ??= []).push(gateText(context, { limit: CONTEXT_LENGTH }).text);
    }
    return undefined;
  }

  verdict(): PreVerdict {
    return {
      kind: 'go',
      input: this.call.input,
      isAllowed: this.#isAllowed,
      mustAsk: this.#mustAsk,
      reason: this.#reason,
      context: this.#context ?? NOTHING,
    };
  }
}

const NOTHING: readonly string[] = [];
