import type { Clock } from '../model/clock.js';
import { prepareSchema, type SchemaCheck, type SchemaOutcome } from '../model/schema/check.js';
import { type SimpleSchema, fitsSimply, toSimpleSchema } from '../model/schema/simple-schema.js';
import { Fuel } from '../model/schema/fuel.js';
import { systemClock } from './clock.js';

/**
 * Checks values against schemas of servers: arguments before a call, structured content after it. A check ends by
 * itself within 30 ms, and concurrent checks take turns, so that no schema can block the event loop.
 */
export class SchemaChecker {
  readonly #clock: Clock;
  readonly #prepared = new WeakMap<object, Prepared>();
  readonly #waiting: (() => void)[] = [];
  /** Units spent in this turn of the event loop. */
  #spent = 0;
  #resetting = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Checks synchronously; undefined when the check has to wait for its turn. */
  checkNow(schema: unknown, value: unknown): SchemaOutcome | undefined {
    return this.#spent < TURN_UNITS && this.#waiting.length === 0 ? this.#check(schema, value) : undefined;
  }

  /** Never rejects. Schemas are cached by identity: pass the same object for the same tool. */
  async check(schema: unknown, value: unknown): Promise<SchemaOutcome> {
    if (this.#spent < TURN_UNITS && this.#waiting.length === 0) return this.#check(schema, value);
    if (this.#waiting.length >= WAITING_LIMIT) return BUSY;
    const since = this.#clock.monotonic();
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        const late = this.#clock.monotonic() - since > WAIT_MS;
        resolve(late ? BUSY : this.#check(schema, value));
      });
    });
  }

  #prepare(schema: unknown): Prepared {
    if (typeof schema !== 'object' || schema === null) return toPrepared(schema);
    let prepared = this.#prepared.get(schema);
    if (prepared === undefined) {
      prepared = toPrepared(schema);
      this.#prepared.set(schema, prepared);
    }
    return prepared;
  }

  #check(schema: unknown, value: unknown): SchemaOutcome {
    const prepared = this.#prepare(schema);
    if (prepared.exhausted >= EXHAUSTED_LIMIT) return GIVEN_UP;
    const units = spentSimply(prepared, schema, value);
    return units > 0 ? this.#spend(units, VALID) : this.#checkWhole(prepared, value);
  }

  #spend(units: number, outcome: SchemaOutcome): SchemaOutcome {
    this.#spent += units;
    if (this.#spent >= NOTICED_UNITS) this.#resetSoon();
    return outcome;
  }

  #checkWhole(prepared: Prepared, value: unknown): SchemaOutcome {
    let deadline: number | undefined;
    const fuel = new Fuel(CHECK_UNITS, () => {
      // First called after a fraction of a millisecond, so a small check never reads the clock.
      const now = this.#clock.monotonic();
      deadline ??= now + CHECK_MS;
      return now > deadline;
    });
    const outcome = prepared.check(value, fuel);
    prepared.exhausted = fuel.isSpent && outcome.kind === 'unchecked' ? prepared.exhausted + 1 : 0;
    return this.#spend(fuel.spent, outcome);
  }

  #resetSoon(): void {
    if (this.#resetting) return;
    this.#resetting = true;
    this.#clock.soon(() => {
      this.#resetting = false;
      this.#spent = 0;
      while (this.#spent < TURN_UNITS && this.#waiting.length > 0) this.#waiting.shift()!();
      if (this.#waiting.length > 0) this.#resetSoon();
    });
  }
}

interface Prepared {
  readonly check: SchemaCheck;
  /** The schema in its simple form, read with the first value; undefined where it has none. */
  simple: SimpleSchema | undefined | 'unread';
  /** How often in a row a check ran out of budget. */
  exhausted: number;
}

function toPrepared(schema: unknown): Prepared {
  return { check: prepareSchema(schema), simple: 'unread', exhausted: 0 };
}

/** The units that it took to see that the value fits; 0 where the whole schema has to be asked. */
function spentSimply(prepared: Prepared, schema: unknown, value: unknown): number {
  try {
    if (prepared.simple === 'unread') prepared.simple = toSimpleSchema(schema);
    return prepared.simple === undefined ? 0 : fitsSimply(prepared.simple, value) * SIMPLE_UNITS;
  } catch {
    prepared.simple = undefined;
    return 0; // an embedder's schema or value may throw when it is read: the whole check says so
  }
}

const VALID: SchemaOutcome = { kind: 'valid' };
const SIMPLE_UNITS = 4; // for each value
const CHECK_UNITS = 1_500_000; // 15 to 25 ms; 200,000 nodes of ordinary rows take 1,100,000
const CHECK_MS = 30; // for slow or busy machines
const TURN_UNITS = 300_000; // a turn that has spent less may run one more check
const NOTICED_UNITS = 20_000; // less is not worth a callback
const WAITING_LIMIT = 1_000; // more than all calls that are ever in flight
const WAIT_MS = 100; // a call's response is worth more than knowing that it matches
const EXHAUSTED_LIMIT = 3; // a schema made to be slow delays its calls no more often

const BUSY: SchemaOutcome = { kind: 'unchecked', reason: 'Too many checks were waiting for their turn' };
const GIVEN_UP: SchemaOutcome = {
  kind: 'unchecked',
  reason: `Checks of this schema took too long ${EXHAUSTED_LIMIT} times in a row`,
};
