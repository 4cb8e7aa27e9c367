export type { AgentDefinition, ReadAgents } from './agent.js';
export { readAgents } from './agent.js';
export { Conversation, type ConversationOptions, type SendEnd } from './conversation.js';
export type { AssistantPart, ImagePart, Message, TextPart, ToolCallPart, UserPart } from './message.js';
export type { ModelEvent, ModelPort, ModelRequest, StopReason, Usage } from './model-port.js';
export { type ChosenModel, chooseModel, type ModelChoice, type ModelWish } from './models/choose-model.js';
export { type Said, type SayOptions, Session, type SessionOptions, type SpeakOptions } from './session.js';
export type { SessionEvent } from './session-event.js';
