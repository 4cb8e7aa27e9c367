import type { HookFunctions, Host, PermissionAnswer, PermissionQuestion } from '../../index.js';
import { HostError } from '../../base/errors.js';
import type { HookCall, PreAnswer } from '../../model/hooks/hook-call.js';
import { isSameJson } from '../../model/text/same-json.js';
import type { ToolInput } from '../../model/tool.js';
import type { DelegatedDecision } from './delegated-decision.js';

/** A call that needs a decision. */
export interface DelegatedCall {
  readonly name: string;
  readonly input: ToolInput;
  readonly callId: string;
}

export interface PermissionDelegateOptions {
  /** Contract: never rejects. */
  readonly decide: (request: DelegatedCall, signal: AbortSignal | undefined) => Promise<DelegatedDecision>;
  /** Undefined until the session is open. */
  readonly host: () => Host | undefined;
  /** Ends the turn, when a denial asks for that. */
  readonly stop: (reason: HostError) => void;
}

/**
 * Has a program decide where the user would be asked. The program may change the input, which only a hook can do: so a
 * hook asks it, and keeps the decision until the guard asks about the same call. `ask` is for calls that only the guard
 * questions.
 */
export class PermissionDelegate {
  readonly #options: PermissionDelegateOptions;
  /** Decisions by call id, each with the name and input it is for: sub-agents may use the same ids. */
  readonly #decided = new Map<string, Decided>();
  /** Calls that the delegate itself makes to get a decision; these need none. */
  readonly #own = new Set<string>();

  constructor(options: PermissionDelegateOptions) {
    this.#options = options;
  }

  get hooks(): HookFunctions {
    return { preToolUse: [{ timeoutMs: LONGEST_MS, run: (call, signal) => this.#before(call, signal) }] };
  }

  /** Marks a call as the delegate's own until it is disposed of. */
  own(callId: string): Disposable {
    this.#own.add(callId);
    return { [Symbol.dispose]: () => void this.#own.delete(callId) };
  }

  /** Contract of `ports.ask`. */
  async ask({ name, input, callId }: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const before = this.#decided.get(callId);
    this.#decided.delete(callId);
    const isDecided = before?.name === name && isSameJson(before.input, input);
    const permit = isDecided ? before.permit : await this.#decide({ name, input, callId }, signal);
    if (permit.kind === 'deny') return { kind: 'deny', reason: permit.reason };
    if (!isDecided && permit.input && !isSameJson(permit.input, input)) {
      return { kind: 'deny', reason: 'it was allowed with other arguments only, and they can no longer be changed' };
    }
    return { kind: 'allow', remember: 'once' };
  }

  async #before({ name, input, callId }: HookCall, signal: AbortSignal | undefined): Promise<PreAnswer | undefined> {
    this.#decided.delete(callId);
    if (this.#own.has(callId) || this.#options.host()?.permission(name)?.behavior !== 'ask') return undefined;
    const permit = await this.#decide({ name, input, callId }, signal);
    // A denial is left to the guard, which reports it as a denied permission; from here it would look like a hook's.
    if (permit.kind === 'deny') this.#remember(callId, { permit, name, input });
    else this.#remember(callId, { permit, name, input: permit.input ?? input });
    return permit.kind === 'deny' ? { decision: 'ask' } : { decision: 'allow', input: permit.input };
  }

  async #decide(request: DelegatedCall, signal: AbortSignal | undefined): Promise<DelegatedDecision> {
    const permit = await this.#options.decide(request, signal);
    if (permit.kind === 'deny' && permit.stops === true) {
      this.#options.stop(new HostError('denied', `Stopped before the call of ${request.name}: ${permit.reason}`));
    }
    return permit;
  }

  #remember(callId: string, decided: Decided): void {
    this.#decided.set(callId, decided);
    const [oldest] = this.#decided.keys();
    if (this.#decided.size > REMEMBERED && oldest !== undefined) this.#decided.delete(oldest);
  }
}

interface Decided {
  readonly permit: DelegatedDecision;
  readonly name: string;
  readonly input: ToolInput;
}

const LONGEST_MS = 2 ** 31 - 1; // the largest delay of a timer: the decision may wait for a person
const REMEMBERED = 1_000; // a bound, because most decisions are never fetched: the hook's yes was enough
