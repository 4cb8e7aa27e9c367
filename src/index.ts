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
export type { FromServer, TypedOptions } from './host/answered.js';
export type { PermissionSettings, RuleList, WrittenPlace } from './model/permissions/settings.js';
export { permissionModes } from './model/permissions/settings.js';
export type { BooleanField, ChoiceField, ChoicesField, NumberField, TextField } from './model/elicitation/form.js';
export { scopeNames } from './config/scope.js';
export type { RawEntry } from './transports/kind.js';
export type { Caller } from './model/caller.js';
export type { ListKind } from './connection/catalog/cached-list.js';
export type { Environment } from './config/entries/expand.js';
export type { ServersObject } from './config/context.js';
export type { ServerEntry } from './config/server-entry.js';
export type { PermissionFlags } from './config/policy/permissions.js';
export type { ChangeCost, ServerCost, ToolCost } from './model/view/tool-cost.js';
export type { PipeWarning } from './wire/pipe.js';
export type { PromptArgument } from './connection/catalog/prompt-definition.js';
export type { PromptSummary, ResourceSummary } from './connection/catalog/catalog-items.js';
export type { Mention } from './model/view/mentions.js';
export type { JsonObject } from './base/json.js';
export type { Repaired, SetAside } from './model/view/model-view-server.js';
export type { Remember } from './guard/permission-question.js';
export type { HookOutput } from './model/hooks/hook-call.js';
export type {
  ModelPreferences,
  SamplingBlock,
  SamplingFields,
  SamplingMessage,
  SamplingTool,
} from './model/sampling.js';
export type { Drift, DriftDetail } from './host/calls/drift.js';
export type { Completion } from './connection/requests/complete.js';
export type { PromptAnswer } from './connection/requests/get-prompt.js';
export type { CallOrder } from './host/calls/call-order.js';
export type { ForeseenTool } from './host/calls/foresight.js';
export type { ListedPrompts, PromptListRequest } from './host/host-prompts.js';
export type { ResourceAnswer, ResourceContent } from './connection/requests/read-resource.js';
export type { LoadedSkill } from './connection/requests/read-skill.js';
export type { ListedResources, ResourceListRequest, WatchListener, Watching } from './host/host-resources.js';
export type { SetAsideTool } from './host/set-aside-tools.js';
export type { ListedSkills, SkillFileRequest, SkillListRequest } from './host/host-skills.js';
export type { HostTool } from './host/tools/tool-definitions.js';
export type { Unmatched } from './host/tools/unmatched.js';
export type { UnmatchedRule } from './model/permissions/unmatched.js';
export type { BuiltInAnswer } from './tools/built-in.js';
export type { CallTraits } from './model/tool.js';
export type { ProviderCall } from './host/calls/provider-call.js';
export type { DefinitionOptions } from './host/read-definition.js';
export type { LinkedEnd } from './transports/in-process/in-process-pipe.js';
export type { TokenRequest } from './host/ports.js';
export type { RuleIndex, UnreadableSetting, WrittenMode, WrittenRule } from './model/permissions/settings.js';
export { ruleLists } from './model/permissions/settings.js';
export type { Implementation } from './model/implementation.js';
export type { CallerLog, CallerQuestion, CallerRoot } from './model/caller.js';
export type { Choice, TextFormat } from './model/elicitation/form.js';
export type { DriftItem } from './host/calls/drift.js';
export type { ToldDifference } from './model/pins/check-pins.js';
export type { CredentialsRefusal } from './model/credentials.js';
export type { PromptMessage } from './connection/requests/get-prompt.js';
export type { UnmatchedHook } from './model/permissions/unmatched-hooks.js';
export type { JsonRpcMessage } from './wire/message.js';
export type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from './wire/message.js';
export type { PinKind } from './model/pins/check-pins.js';
export type { GlobRule } from './model/permissions/settings.js';
export type { HookSetting } from './model/hooks/hook-settings.js';
export type { HookCommand, HookEvent } from './model/hooks/hook-settings.js';
export type { JsonRpcError, RequestId } from './wire/message.js';
