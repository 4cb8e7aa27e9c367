import type { CallProgress, ToolInput } from '../model/tool.js';
import type { CallResult } from '../host/host-options.js';
import type { AssistantPart, ProviderCallPart, ProviderResultPart } from './message.js';
import type { ModelEvent, Usage } from './model-port.js';

/** What happens in a conversation, for whoever shows it or writes it down. */
export type SessionEvent =
  /** Words as they come, the whole of which is in the message; a call that is begun; that the model's API is asked again. */
  | Exclude<ModelEvent, { readonly kind: 'part' | 'end' }>
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
  /** Of a sub-agent that a call of this conversation has started. */
  | { readonly kind: 'agent'; readonly callId: string; readonly agent: string; readonly event: SessionEvent };
