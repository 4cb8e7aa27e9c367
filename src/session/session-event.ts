import type { HostError } from '../base/errors.js';
import type { CompactTrigger } from '../model/hooks/session-hooks.js';
import type { CallProgress, ToolInput } from '../model/tool.js';
import type { CallResult } from '../host/host-options.js';
import type { Compaction } from './compaction/compact.js';
import type { AssistantPart, ProviderCallPart, ProviderResultPart } from './message.js';
import type { ModelEvent, Usage } from './model-port.js';
import type { SamplingEvent } from './sampling-model.js';

/** What happens in a conversation, for a display or a log. */
export type SessionEvent =
  /** Text as it comes, which is also in the message; the beginning of a call; a retry of the model's API. */
  | Exclude<ModelEvent, { readonly kind: 'part' | 'end' }>
  /** One answer of the model, complete or as far as it came. `id`: that of its item in the journal. */
  | { readonly kind: 'message'; readonly parts: readonly AssistantPart[]; readonly usage: Usage; readonly id?: string }
  /** A call is given to the host: it may still have to wait, or need a permission. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: ToolInput }
  | { readonly kind: 'progress'; readonly id: string; readonly name: string; readonly progress: CallProgress }
  | { readonly kind: 'result'; readonly result: CallResult }
  /** The results of all calls of one message, in the format of the model's API. */
  | { readonly kind: 'results'; readonly results: readonly object[] }
  /** A call of a tool that the model's provider runs itself, and its result. */
  | ProviderCallPart
  | ProviderResultPart
  /** What the model is told about changes of the servers. */
  | { readonly kind: 'news'; readonly text: string }
  /** Older messages are about to be replaced by a summary, or results by where they are saved. */
  | { readonly kind: 'compacting'; readonly trigger: CompactTrigger }
  /** The conversation is shorter now; see `Compaction`. */
  | ({ readonly kind: 'compacted'; readonly trigger: CompactTrigger } & Compaction)
  /** The conversation could not be made shorter, and is as it was. */
  | { readonly kind: 'compact-failed'; readonly trigger: CompactTrigger; readonly error: HostError }
  /** A request to the model beside the conversation: for a summary. */
  | { readonly kind: 'spent'; readonly usage: Usage }
  /** A server uses the model (sampling). Not always in a call: a server may ask at any time. */
  | SamplingEvent
  /** An event of a sub-agent that a call of this conversation started. */
  | { readonly kind: 'agent'; readonly callId: string; readonly agent: string; readonly event: SessionEvent };
