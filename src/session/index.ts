export type { AgentDefinition, ReadAgents } from './agent.js';
export { readAgents } from './agent.js';
export { Conversation, type ConversationOptions, type SendEnd } from './conversation.js';
export { History } from './history.js';
export { describeSurroundings } from './instructions.js';
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
export { type ChosenModel, chooseModel, type ModelChoice, type ModelWish } from './models/choose-model.js';
export { type Said, type SayOptions, Session, type SessionOptions, type SpeakOptions } from './session.js';
export type { SessionEvent } from './session-event.js';
