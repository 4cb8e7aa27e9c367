import {
  type Era,
  overHttp as allOverHttp,
  streaming as allStreaming,
  type Transport,
  transports as all,
} from './behaviour.js';

/** Where the official SDK's client does otherwise than ours, and why ours does not follow. */
export interface Divergence {
  /** The title of the behaviour. */
  readonly behaviour: string;
  readonly transports: readonly Transport[];
  /** Every one that the behaviour is in, by default. */
  readonly eras?: readonly Era[];
  readonly ours: unknown;
  /** What the oracle does; UNCERTAIN where that depends on how busy the machine is, or where it never ends. */
  readonly oracle: unknown;
  readonly reason: string;
  /** What ends by the clock alone, so that waiting longer would show nothing more. */
  readonly silent?: 'call' | 'handshake';
}

export const UNCERTAIN = Symbol('uncertain');

/** Where the oracle can go. */
export const everywhere: readonly Transport[] = all.filter(isOracles);
export const streaming: readonly Transport[] = allStreaming.filter(isOracles);
export const overHttp: readonly Transport[] = allOverHttp.filter(isOracles);

/** Control messages are between a host and the program around it, and accounts are the host's. */
function isOracles(transport: Transport): boolean {
  return transport !== 'sdk' && transport !== 'connector';
}

export const SILENCE = 'A stream that breaks off without the answer is waited for until the deadline.';
