// https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
import { within } from '../../base/within.js';
import type { Clock } from '../../model/clock.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import {
  parseSamplingRequest,
  parseSamplingResult,
  type SamplingPort,
  type SamplingRequest,
  type SamplingResult,
} from '../../model/sampling.js';
import { toolRounds } from '../../model/sampling-tools.js';
import { gateLine } from '../../model/text/text-gate.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { ClientFeatures } from './client-features.js';
import { Slots } from '../calls/slots.js';

export interface SamplingOptions {
  readonly server: string;
  /** Without a model, sampling is not declared. */
  readonly model: SamplingPort | undefined;
  /** Decides whether the server may make this request. Contract: stops waiting when the signal aborts. */
  readonly permit: (request: SamplingRequest, signal: AbortSignal) => Promise<'allow' | 'deny'>;
  readonly clock: Clock;
  /** Changes whenever the server becomes idle. Without it requests are not limited for one run of calls. */
  readonly idlePeriod?: (() => unknown) | undefined;
}

/** Lets a server use the embedder's model (sampling): permitted first, a few requests at a time, with a timeout. */
export function samplingFeature({ server, model, permit, clock, idlePeriod }: SamplingOptions): ClientFeatures {
  if (!model) return {};
  const slots = new Slots({ limit: AT_ONCE, isStrict: true, clock });
  const allowance = new Allowance(clock, idlePeriod);
  return {
    // No `context`: messages of one server are not shown to another.
    capabilities: { sampling: { tools: {} } },
    handlers: {
      'sampling/createMessage': async (params, { signal }) => {
        allowance.spend();
        const read = parseSamplingRequest(server, params);
        if (read.kind === 'fault') throw new JsonRpcFailure(INVALID_PARAMS, read.reason);
        const { request } = read;
        if (toolRounds(request.messages) >= ROUNDS) throw tooMany(`rounds of tools in a conversation; ${ROUNDS}`);
        const slot = await slots.take(signal);
        try {
          if (!(await isPermitted(() => permit(request, signal)))) throw rejected();
          return await inTime(clock, signal, (limited) => answer(model, request, limited));
        } finally {
          slot.release();
        }
      },
    },
  };
}

const AT_ONCE = 2;
const PER_MINUTE = 20;
const ROUNDS = 10; // the same limit as for the rounds of a modern call
const ANSWER_MS = 600_000; // a model that takes longer is taken for hanging
const REASON_LENGTH = 300;
const USER_REJECTED = -1;
const REFUSED = -32000;
const INTERNAL_ERROR = -32603;

/** How often a server may still ask. Refused requests do not count, or a refusal would never end. */
class Allowance {
  readonly #clock: Clock;
  readonly #idlePeriod: (() => unknown) | undefined;
  #times: number[] = [];
  #current: unknown;
  #count = 0;

  constructor(clock: Clock, idlePeriod: (() => unknown) | undefined) {
    this.#clock = clock;
    this.#idlePeriod = idlePeriod;
  }

  spend(): void {
    const now = this.#clock.monotonic();
    this.#times = this.#times.filter((time) => time > now - 60_000);
    if (this.#times.length >= PER_MINUTE) throw tooMany(`sampling requests; ${PER_MINUTE} a minute`);
    if (this.#idlePeriod) {
      const current = this.#idlePeriod();
      if (current !== this.#current) this.#count = 0;
      this.#current = current;
      if (this.#count >= ROUNDS) throw tooMany(`sampling requests in the course of one call; ${ROUNDS}`);
      this.#count++;
    }
    this.#times.push(now);
  }
}

function tooMany(what: string): JsonRpcFailure {
  return new JsonRpcFailure(REFUSED, `Too many ${what} is the limit`);
}

function rejected(): JsonRpcFailure {
  return new JsonRpcFailure(USER_REJECTED, 'User rejected sampling request');
}

/** A question that fails counts as a no. */
async function isPermitted(ask: () => Promise<'allow' | 'deny'>): Promise<boolean> {
  try {
    return (await ask()) === 'allow';
  } catch {
    return false;
  }
}

async function answer(model: SamplingPort, request: SamplingRequest, signal: AbortSignal): Promise<SamplingResult> {
  let said: unknown;
  try {
    said = await model.createMessage(request, signal);
    JSON.stringify(said); // an answer that cannot be serialized fails here, not in the shared connection
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error));
  }
  const result = parseSamplingResult(said, request);
  if (typeof result === 'string') throw failed(`the answer cannot be used: ${result}`);
  return result;
}

/** A model's error may quote its API key, so it is redacted. */
function failed(reason: string): JsonRpcFailure {
  const told = gateLine(textRedactor().redact(gateLine(reason, { limit: 4 * REASON_LENGTH }).text), {
    limit: REASON_LENGTH,
  });
  return new JsonRpcFailure(INTERNAL_ERROR, `The model gave no answer: ${told.text}`);
}

/** Rejects when the signal aborts or the time is over, even if the work goes on. */
async function inTime<Result>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal.aborted) throw failed('it was cancelled');
  const abort = new AbortController();
  return await within(work(abort.signal), {
    signal,
    deadline: (expire) => clock.after(ANSWER_MS, expire),
    instead: (why) => {
      abort.abort();
      throw failed(why === 'aborted' ? 'it was cancelled' : `it took longer than ${ANSWER_MS} ms`);
    },
  });
}
