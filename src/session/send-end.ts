import { HostError } from '../base/errors.js';
import type { AnswerEnd } from './model-answer.js';
import type { Usage } from './model-port.js';

/** Options of messages that are sent. */
export interface SendOptions {
  readonly signal?: AbortSignal;
  /** The words of the user among the messages; where nobody typed any, all are as they are. */
  readonly typed?: string | undefined;
}

/** How the answer to a message ended. */
export type SendEnd = {
  /** How often the model was asked. */
  readonly turns: number;
  readonly usage: Usage;
  /** The text of the model's last answer. */
  readonly text: string;
} & (
  | { readonly kind: 'done' }
  /** The answer reached its length limit. */
  | { readonly kind: 'length' }
  /** The provider did not let the model answer. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'max-turns' }
  /** `isSent`: the model has answered to the messages; otherwise they were taken back. */
  | { readonly kind: 'cancelled'; readonly isSent: boolean }
  | { readonly kind: 'failed'; readonly error: HostError; readonly isSent: boolean }
);

/** What a `send` has done so far. */
export interface SendProgress {
  turns: number;
  text: string;
  usage: Usage;
}

/** How the work on a message ended. */
export type WorkEnd =
  | { readonly kind: 'done' | 'length' | 'refused' | 'max-turns' }
  | { readonly kind: 'cancelled'; readonly isSent: boolean }
  | { readonly kind: 'failed'; readonly error: HostError; readonly isSent: boolean };

/** How a turn ends by the reason for which the model stopped. */
export const TERMINAL: Readonly<Record<Extract<AnswerEnd, { kind: 'end' }>['reason'], 'done' | 'length' | 'refused'>> =
  {
    done: 'done',
    calls: 'done', // the API announced calls, and sent none
    paused: 'done',
    other: 'done',
    length: 'length',
    refused: 'refused',
  };

/** The error for a message while the model works on another one. */
export function stillBusy(): HostError {
  return new HostError('usage', 'The model still works on your last message', {
    hint: 'Wait for the answer, or cancel it',
  });
}
