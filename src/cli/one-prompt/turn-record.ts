import type { SessionEvent } from '../../session/index.js';
import type { CallResult } from '../../index.js';
import type { ToolInput } from '../../model/tool.js';
import { exitCodeOf, exitCodes } from '../io.js';

export interface RecordedCall {
  readonly name: string;
  readonly outcome: CallResult['outcome'];
  readonly ms: number;
  /** The sub-agent that made the call. */
  readonly agent?: string;
}

/** A call that was denied. */
export interface DeniedCall {
  readonly name: string;
  readonly reason: string;
  readonly hint: string | undefined;
  readonly callId: string;
  readonly input: ToolInput;
}

/** What happened in one turn, sub-agents included. */
export class TurnRecord {
  readonly calls: RecordedCall[] = [];
  readonly denials: DeniedCall[] = [];
  /** Notes on results, once for each tool. */
  readonly notes = new Set<string>();
  /** Milliseconds spent waiting for the model. */
  apiMs = 0;
  /** A call failed because its server needs a sign-in. */
  needsSignIn = false;
  /** Text since the last complete message: all there is of an answer that broke off. */
  words = '';
  readonly #now: () => number;
  readonly #inputs = new Map<string, ToolInput>();
  #asked: number;

  /** `now`: a monotonic clock, in ms. */
  constructor(now: () => number) {
    this.#now = now;
    this.#asked = now();
  }

  take(event: SessionEvent): void {
    if (event.kind === 'text') this.words += event.text;
    if (event.kind === 'message') {
      this.words = '';
      this.apiMs += this.#now() - this.#asked;
    }
    if (event.kind === 'results') this.#asked = this.#now();
    this.#takeCall(event, undefined);
  }

  /** The exit code of a turn that did not fail. */
  get exitCode(): number {
    if (this.denials.length > 0) return exitCodes.denied;
    return this.needsSignIn ? exitCodes.signIn : exitCodes.done;
  }

  #takeCall(event: SessionEvent, agent: string | undefined): void {
    if (event.kind === 'agent') return this.#takeCall(event.event, event.agent);
    if (event.kind === 'call') this.#inputs.set(event.id, event.input);
    if (event.kind !== 'result') return;
    const { name, outcome, ms, callId, error, notes } = event.result;
    for (const note of notes) if (this.notes.size < NOTES) this.notes.add(`${name}: ${note}`);
    this.calls.push({ name, outcome, ms: Math.round(ms), ...(agent !== undefined && { agent }) });
    const input = this.#inputs.get(callId) ?? {};
    this.#inputs.delete(callId);
    if (!error) return;
    const exitCode = exitCodeOf(error.code);
    if (exitCode === exitCodes.signIn) this.needsSignIn = true;
    if (exitCode === exitCodes.denied) {
      this.denials.push({ name, reason: error.message, hint: error.hint, callId, input });
    }
  }
}

const NOTES = 20; // a bound: a model may make hundreds of calls
