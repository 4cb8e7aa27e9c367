import { HostError } from '../../../base/errors.js';
import type { KeyHandlerFrame } from '../compose.js';
import type { Size } from '../footer.js';
import type { DecodedKey } from './keys.js';

/** Takes the keys at the moment, and draws itself. */
export interface KeyHandler {
  /** Whether a single key is the answer, not a whole line. */
  readonly isOneKey?: boolean;
  /** Called when its turn has come. */
  begin?(size: Size): void;
  draw(size: Size): KeyHandlerFrame;
  key(key: DecodedKey): void;
  /** Called when the terminal is gone: no more keys will come. */
  end(): void;
}

/** What a key handler needs of its screen. */
export interface KeyHandlerPorts<Result> {
  readonly print: (text: string) => void;
  /** To be called when something shown has changed. */
  readonly changed: () => void;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: HostError) => void;
}

export function left(): HostError {
  return new HostError('cancelled', 'You left without an answer');
}

export function isInterrupt({ name, ctrl }: DecodedKey): boolean {
  return ctrl && name === 'c';
}
