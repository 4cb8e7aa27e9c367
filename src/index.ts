export type { BrowserSignIn, DeviceSignIn, SignIn, SignInEnd, SignInOptions } from './auth/sign-in.js';
export type { SignOut } from './auth/sign-ins.js';
export { type ErrorCode, errorCodes } from './base/error-codes.js';
export { type ErrorDetail, HostError, type HostErrorOptions } from './base/errors.js';
export { VERSION } from './base/version.js';
export type { ConfigOptions } from './config/context.js';
export type { Problem, ProblemCode } from './config/problem.js';
export type { ScopeName } from './config/scope.js';
export {
  type ConfigChange,
  type ConfigWatch,
  type LoadedConfig,
  loadConfig,
  type ServerView,
  type StandingView,
  watchConfig,
} from './config/view.js';
export type { WatchConfigOptions } from './config/watch.js';
export type { CatalogChange } from './connection/catalog/catalog.js';
export type { FinishedCall, HookFunction, HookFunctions } from './guard/hook-functions.js';
export type { AskPermission, PermissionAnswer, PermissionQuestion } from './guard/permission-question.js';
export type { StatedHints } from './model/stated-hints.js';
export type { Answered, AskOptions } from './host/answered.js';
export { Host } from './host/host.js';
export type { DefinedTool, ToolDefinitionsOptions } from './host/tools/tool-definitions.js';
export type { FoundDefinition } from './host/tools/tool-finder.js';
export type { HostEvents, ServerChange } from './host/host-events.js';
export type { CallResult, ForkOptions, HostOptions, LocalTool, ToolRequest } from './host/host-options.js';
export type { MentionOptions, ResolvedMentions } from './host/host-mentions.js';
export type { HostPrompt, PromptRequest } from './host/host-prompts.js';
export type {
  CompletionRequest,
  HostResource,
  HostTemplate,
  ResourceRequest,
  WatchRequest,
} from './host/host-resources.js';
export type { HostSkill, SkillRequest } from './host/host-skills.js';
export type { HostState, ServerDetail } from './host/host-state.js';
export type { ForModelOptions, ModelTurn, ToolSearchMode } from './host/tools/model-views.js';
export type { Ports } from './host/ports.js';
export type { ErrorView, ServerState, StatusWord } from './host/servers/server-state.js';
export type { SharedServers } from './host/servers/shared-servers.js';
export type { Clock } from './model/clock.js';
export type { Field, Form } from './model/elicitation/form.js';
export type {
  HookCall,
  Elicitation,
  HookQuestion,
  ElicitationReply,
  HookReply,
  PostAnswer,
  PreAnswer,
} from './model/hooks/hook-call.js';
export type { DecidedBy, Decision } from './model/permissions/decision.js';
export type { PermissionMode } from './model/permissions/settings.js';
export type { ModelCallResult, ProfileName } from './model/profiles/profile.js';
export type {
  AnthropicImage,
  AnthropicText,
  AnthropicTool,
  AnthropicToolReference,
  AnthropicToolResult,
  GeminiFunction,
  GeminiFunctionResponse,
  GeminiPicture,
  GeminiParameters,
  GeminiTool,
  GeminiToolResult,
  ModelShapes,
  ObjectJsonSchema,
  OpenAiPictures,
  OpenAiTool,
  OpenAiToolMessage,
  OpenAiToolResult,
} from './model/profiles/shapes.js';
export type { SamplingPort, SamplingRequest, SamplingResult } from './model/sampling.js';
export type { ServerDefinition } from './model/server-definition.js';
export type { ServerError, ServerResult } from './model/server-result.js';
export { Spilled } from './model/spilled.js';
export type { CostReport } from './model/view/tool-cost.js';
export type {
  AudioBlock,
  BlockAnnotations,
  BlockFields,
  ContentBlock,
  EmbeddedResource,
  ImageBlock,
  OtherBlock,
  OtherBlockType,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from './model/content-block.js';
export type {
  CallContext,
  CallProgress,
  JsonSchema,
  SavedFile,
  Tool,
  ToolDefinition,
  ToolHints,
  ToolInput,
  ToolMarks,
  ToolMeta,
  ToolResult,
} from './model/tool.js';
export type { EmbeddedServer } from './transports/kind.js';
