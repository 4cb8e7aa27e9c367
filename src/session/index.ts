export type { AgentDefinition, ReadAgents } from './agent.js';
export { readAgents } from './agent.js';
export type { Compaction } from './compaction/compact.js';
export type { CompactEnd, CompactRequest } from './compaction/compactor.js';
export { Conversation, type ConversationOptions } from './conversation.js';
export type { SendEnd, SendOptions } from './send-end.js';
export { History } from './history.js';
export { describeSurroundings } from './instructions.js';
export type { Journal, RewriteReason, StoredConversation, StoredItem } from './journal.js';
export type {
  AssistantPart,
  ImagePart,
  Message,
  ProviderCallPart,
  ProviderResultPart,
  TextPart,
  ToolCallPart,
  UserPart,
} from './message.js';
export {
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  NO_USAGE,
  type StopReason,
  type Usage,
} from './model-port.js';
export type { ModelThinking, ModelTuning, TuningField } from './models/model-tuning.js';
export { type ChosenModel, chooseModel, type ModelChoice, type ModelWish } from './models/choose-model.js';
export type { SamplingEvent } from './sampling-model.js';
export { type Said, type SayOptions, Session, type SessionOptions, type SpeakOptions } from './session.js';
export type { SessionEvent } from './session-event.js';
export { type ExportedSession, exportSession } from './store/export-session.js';
export type { StoredSession } from './store/list-sessions.js';
export type { RestoredSession } from './store/restored-session.js';
export { isPrompt, typedWords } from './store/session-title.js';
export {
  type OpenJournal,
  type ResumedSession,
  SessionStore,
  type SessionStoreOptions,
} from './store/session-store.js';
