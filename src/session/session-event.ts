import type { CallProgress, ToolInput } from '../model/tool.js';
import type { CallResult } from '../host/host-options.js';
import type { AssistantPart, ProviderCallPart, ProviderResultPart } from './message.js';
import type { Usage } from './model-port.js';

/** What happens in a conversation, for whoever shows it or writes it down. */
export type SessionEvent =
  /** Words as they come; the whole of them is in the message. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** The model has begun to write a call. */
  | { readonly kind: 'writing-call'; readonly id: string; readonly name: string }
  /** One answer of the model, complete or as far as it came. */
  | { readonly kind: 'message'; readonly parts: readonly AssistantPart[]; readonly usage: Usage }
  /** A call is given to the host: it may still have to wait, or to be asked about. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: ToolInput }
  | { readonly kind: 'progress'; readonly id: string; readonly name: string; readonly progress: CallProgress }
  | { readonly kind: 'result'; readonly result: CallResult }
  /** The answers to all calls of one message, as the model's API gets them. */
  | { readonly kind: 'results'; readonly results: readonly object[] }
  /** A tool that the model's provider runs itself. */
  | ProviderCallPart
  | ProviderResultPart
  /** What the model is told of servers that have changed. */
  | { readonly kind: 'news'; readonly text: string }
  /** The model's API did not answer, and is asked again. */
  | { readonly kind: 'retry'; readonly attempt: number; readonly afterMs: number; readonly reason: string }
  /** Of a sub-agent that a call of this conversation has started. */
  | { readonly kind: 'agent'; readonly callId: string; readonly agent: string; readonly event: SessionEvent };
