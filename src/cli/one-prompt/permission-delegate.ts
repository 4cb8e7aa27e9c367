import type { HookFunctions, Host, PermissionAnswer, PermissionQuestion } from '../../index.js';
import { HostError } from '../../base/errors.js';
import type { HookCall, PreAnswer } from '../../model/hooks/hook-call.js';
import { isSameJson } from '../../model/text/same-json.js';
import type { ToolInput } from '../../model/tool.js';
import type { DelegatedDecision } from './delegated-decision.js';

/** A call that somebody has to decide about. */
export interface DelegatedCall {
  readonly name: string;
  readonly input: ToolInput;
  readonly callId: string;
}

export interface PermissionDelegateOptions {
  /** Contract: never rejects. */
  readonly decide: (request: DelegatedCall, signal: AbortSignal | undefined) => Promise<DelegatedDecision>;
  /** Known as soon as it is open. */
  readonly host: () => Host | undefined;
  /** A no that ends the turn, and why. */
  readonly stop: (reason: HostError) => void;
}

/**
 * Has a program decide where a person would be asked. It may change what is sent, and only a hook can do that: so it is asked there, and
 * what it said is remembered until the guard asks about that very call. What the guard alone knows of, it asks about itself.
 */
export class PermissionDelegate {
  readonly #options: PermissionDelegateOptions;
  /** What was decided, and about what, by the call's id: sub-agents may have the same ones. */
  readonly #decided = new Map<string, Decided>();
  /** Calls of the desk's own: nobody is asked about asking. */
  readonly #own = new Set<string>();

  constructor(options: PermissionDelegateOptions) {
    this.#options = options;
  }

  get hooks(): HookFunctions {
    return { preToolUse: [{ timeoutMs: LONGEST_MS, run: (call, signal) => this.#before(call, signal) }] };
  }

  /** Marks a call as one that the desk makes itself. */
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
    // A no is given by the guard, in the words of a no: from here it would look like a hook's.
    if (permit.kind === 'deny') this.#remember(callId, { permit, name, input });
    else this.#remember(callId, { permit, name, input: permit.input ?? input });
    return permit.kind === 'deny' ? { decision: 'ask' } : { decision: 'allow', input: permit.input };
  }

  async #decide(request: DelegatedCall, signal: AbortSignal | undefined): Promise<DelegatedDecision> {
    const permit = await this.#options.decide(request, signal);
    if (permit.kind === 'deny' && permit.stops === true) {
      this.#options.stop(new HostError('denied', `Stopped when ${request.name} was to be called: ${permit.reason}`));
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

const LONGEST_MS = 2 ** 31 - 1; // whoever decides may be a person at the other end
const REMEMBERED = 1_000; // most are never asked for: the hook's yes was enough
