import type { PipeWarning, Receiver, RejectedMessage } from '../src/wire/pipe.js';
import type { SpillStore } from '../src/model/spilled.js';

/** What a receiver at the end of a pipe got. */
export interface Received {
  readonly messages: unknown[];
  readonly refusals: RejectedMessage[];
  readonly notes: PipeWarning[];
}

export interface Listening {
  /** False for an unsolicited message; true by default. */
  readonly asked?: (message: unknown) => boolean;
  readonly spill?: SpillStore;
}

/** A receiver that records everything. */
export function notingReceiver({ asked = () => true, spill }: Listening = {}): Received & {
  readonly receiver: Receiver;
} {
  const messages: unknown[] = [];
  const refusals: RejectedMessage[] = [];
  const notes: PipeWarning[] = [];
  const receiver: Receiver = {
    message(message) {
      messages.push(message);
      return asked(message);
    },
    refused: (refusal) => void refusals.push(refusal),
    failed: () => {},
    warning: (note) => void notes.push(note),
    isPending: () => true,
    spillFor: () => spill,
  };
  return { messages, refusals, notes, receiver };
}
