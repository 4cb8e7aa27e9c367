import { HostError } from '../../../base/errors.js';
import type { KeyHandlerFrame } from '../compose.js';
import type { Size } from '../footer.js';
import type { DecodedKey } from './keys.js';

/** Whoever the keys are for at the moment, and what is shown of that. */
export interface KeyHandler {
  /** One key is an answer, and not a whole line. */
  readonly isOneKey?: boolean;
  /** Its turn has come. */
  begin?(size: Size): void;
  draw(size: Size): KeyHandlerFrame;
  key(key: DecodedKey): void;
  /** There are no more keys: the terminal is gone. */
  end(): void;
}

/** What a taker needs of the screen that it is on. */
export interface KeyHandlerPorts<Result> {
  readonly print: (text: string) => void;
  /** Something has changed that is shown. */
  readonly changed: () => void;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: HostError) => void;
}

export function left(): HostError {
  return new HostError('cancelled', 'Left without an answer');
}

export function isInterrupt({ name, ctrl }: DecodedKey): boolean {
  return ctrl && name === 'c';
}
