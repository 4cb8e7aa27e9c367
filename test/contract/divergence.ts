import {
  type Era,
  overHttp as allOverHttp,
  streaming as allStreaming,
  type Transport,
  transports as all,
} from './behaviour.js';

/** Where the official SDK's client behaves differently from ours, and why ours does not follow. */
export interface Divergence {
  /** The title of the behaviour. */
  readonly behaviour: string;
  readonly transports: readonly Transport[];
  /** Default: every era of the behaviour. */
  readonly eras?: readonly Era[];
  readonly ours: unknown;
  /** What the oracle does; `UNCERTAIN` where that depends on the load of the machine, or never ends. */
  readonly oracle: unknown;
  readonly reason: string;
  /** What only ends by its timeout; the suite uses a short one there. */
  readonly silent?: 'call' | 'handshake';
}

export const UNCERTAIN = Symbol('uncertain');

/** Transports that the oracle supports. */
export const everywhere: readonly Transport[] = all.filter(isOracles);
export const streaming: readonly Transport[] = allStreaming.filter(isOracles);
export const overHttp: readonly Transport[] = allOverHttp.filter(isOracles);

/** The SDK's client has neither control messages nor accounts: both belong to Plugboard. */
function isOracles(transport: Transport): boolean {
  return transport !== 'sdk' && transport !== 'connector';
}

export const SILENCE = 'A stream that breaks off without the answer is waited for until the deadline.';
