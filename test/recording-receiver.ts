import type { PipeWarning, Receiver, RejectedMessage } from '../src/wire/pipe.js';
import type { SpillStore } from '../src/model/spilled.js';

/** What somebody at the end of a pipe has heard. */
export interface Received {
  readonly messages: unknown[];
  readonly refusals: RejectedMessage[];
  readonly notes: PipeWarning[];
}

export interface Listening {
  /** Whether somebody had asked for a message. */
  readonly asked?: (message: unknown) => boolean;
  readonly spill?: SpillStore;
}

/** Somebody at the end of a pipe who writes everything down. */
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
    note: (note) => void notes.push(note),
    isPending: () => true,
    spillFor: () => spill,
  };
  return { messages, refusals, notes, receiver };
}
