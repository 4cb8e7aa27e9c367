export type { BrowserSignIn, DeviceSignIn, OpenSignIn, SignIn, SignInEnd, SignInOptions } from './auth/sign-in.js';
export type { SignOut } from './auth/sign-ins.js';
export { type ErrorCode, errorCodes } from './base/error-codes.js';
export { type ErrorDetail, HostError, type HostErrorOptions } from './base/errors.js';
export type { JsonObject } from './base/json.js';
export { VERSION } from './base/version.js';
export type { ConfigOptions, ServersObject, SettingSource } from './config/context.js';
export type { Environment } from './config/entries/expand.js';
export type { PermissionFlags } from './config/policy/permissions.js';
export type { Problem, ProblemCode } from './config/problem.js';
export type { ScopeName, scopeNames } from './config/scope.js';
export type { ServerEntry } from './config/server-entry.js';
export {
  type ConfigChange,
  type ConfigWatch,
  loadConfig,
  type LoadedConfig,
  type ServerView,
  type StandingView,
  watchConfig,
} from './config/view.js';
export type { WatchConfigOptions } from './config/watch.js';
export type { ListKind } from './connection/catalog/cached-list.js';
export type { PromptSummary, ResourceSummary } from './connection/catalog/catalog-items.js';
export type { CatalogChange } from './connection/catalog/catalog.js';
export type { PromptArgument, ServerPromptDefinition } from './connection/catalog/prompt-definition.js';
export type { ServerResourceDefinition, ServerTemplateDefinition } from './connection/catalog/resource-definition.js';
export type { Completion, CompletionQuestion } from './connection/requests/complete.js';
export type { PromptAnswer, PromptMessage } from './connection/requests/get-prompt.js';
export type { ResourceAnswer, ResourceContent } from './connection/requests/read-resource.js';
export type { LoadedSkill } from './connection/requests/read-skill.js';
export { readSaved, type SavedPlace } from './edge/spill/read-saved.js';
export type { HookCallback, HookCallbackContext } from './guard/hook-callback.js';
export type { HookFunction, HookFunctions } from './guard/hook-functions.js';
export type { FollowFlowOptions } from './guard/flow-guard.js';
export type { ComparedDefinition } from './guard/permission-guard.js';
export type { AskPermission, PermissionAnswer, PermissionQuestion, Remember } from './guard/permission-question.js';
export type { Answered, AskOptions, FromServer, TypedOptions } from './host/answered.js';
export type { CallOrder } from './host/calls/call-order.js';
export type { Drift, DriftDetail, DriftItem } from './host/calls/drift.js';
export type { ForeseenTool } from './host/calls/foresight.js';
export type { ProviderCall } from './host/calls/provider-call.js';
export type { HostConversations } from './host/host-conversations.js';
export type { HostEvent, HostEvents, hostEvents, ServerChange } from './host/host-events.js';
export type { MentionOptions, ResolvedMentions } from './host/host-mentions.js';
export type {
  CallResult,
  FollowedConversation,
  ForkOptions,
  HostOptions,
  InConversation,
  LocalTool,
  ToolRequest,
} from './host/host-options.js';
export type { CompletionRequest } from './host/requests/complete-argument.js';
export type { HostPrompt, ListedPrompts, PromptListRequest, PromptRequest } from './host/host-prompts.js';
export type {
  HostResource,
  HostTemplate,
  ListedResources,
  ResourceListRequest,
  ResourceRequest,
  Watching,
  WatchListener,
  WatchRequest,
} from './host/host-resources.js';
export type { RunSkill } from './host/host-skill-command.js';
export type { HostSkill, ListedSkills, SkillFileRequest, SkillListRequest, SkillRequest } from './host/host-skills.js';
export type { HostState, ServerDetail } from './host/host-state.js';
export type { ValueOptions } from './host/host-conversations.js';
export { Host } from './host/host.js';
export type { Ports, TokenRequest } from './host/ports.js';
export type { DefinitionOptions } from './host/read-definition.js';
export type { HostRequests } from './host/requests/host-requests.js';
export type { ErrorView, ServerState, StatusWord } from './host/servers/server-state.js';
export type { SharedServers } from './host/servers/shared-servers.js';
export type { SetAsideTool } from './host/set-aside-tools.js';
export type { ForModelOptions, ModelTurn, ToolSearchMode } from './host/tools/model-views.js';
export type { DefinedTool, HostTool, ToolDefinitionsOptions } from './host/tools/tool-definitions.js';
export type { FoundDefinition } from './host/tools/tool-finder.js';
export type { Unmatched } from './host/tools/unmatched.js';
export type { Caller, CallerLog, CallerQuestion, CallerRoot, CallerTask } from './model/caller.js';
export type { Clock } from './model/clock.js';
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
} from './model/content/content-block.js';
export type { CredentialsRefusal } from './model/credentials.js';
export type {
  AnyField,
  BooleanField,
  Choice,
  ChoiceField,
  ChoicesField,
  Field,
  Form,
  NumberField,
  TextField,
  TextFormat,
} from './model/elicitation/form.js';
export type {
  AnsweredElicitation,
  Elicitation,
  ElicitationReply,
  FinishedCall,
  HookCall,
  HookOutput,
  HookQuestion,
  HookReply,
  PermissionHookAnswer,
  PermissionRequest,
  PostAnswer,
  PreAnswer,
} from './model/hooks/hook-call.js';
export type { HookRun } from './model/hooks/hook-run.js';
export type { HookCommand, HookEvent, hookEvents, HookSetting } from './model/hooks/hook-settings.js';
export type {
  CompactTrigger,
  CompactVerdict,
  HookSession,
  PromptVerdict,
  SessionEndReason,
  SessionHooks,
  SessionStartSource,
  StopFacts,
  StopVerdict,
} from './model/hooks/session-hooks.js';
export type { FlowEncoding } from './model/flow/decoded-forms.js';
export type { FlowCopy, FlowFinding, FlowReading, FlowSource } from './model/flow/flow-finding.js';
export type { Implementation } from './model/implementation.js';
export type { DecidedBy, Decision } from './model/permissions/decision.js';
export type { ServerAct, serverActs } from './model/permissions/server-act.js';
export type {
  GlobRule,
  PermissionMode,
  permissionModes,
  PermissionSettings,
  PermissionSource,
  permissionSources,
  RuleIndex,
  RuleList,
  ruleLists,
  UnreadableSetting,
  WrittenMode,
  WrittenPermissions,
  WrittenPlace,
  WrittenRule,
} from './model/permissions/settings.js';
export type { UnmatchedHook } from './model/permissions/unmatched-hooks.js';
export type { UnmatchedRule } from './model/permissions/unmatched.js';
export type { PinKind, ToldDifference } from './model/pins/check-pins.js';
export type { ModelCallResult, ProfileName } from './model/profiles/profile.js';
export type {
  AnthropicImage,
  AnthropicText,
  AnthropicTool,
  AnthropicToolReference,
  AnthropicToolResult,
  GeminiFunction,
  GeminiFunctionResponse,
  GeminiParameters,
  GeminiPicture,
  GeminiTool,
  GeminiToolResult,
  ModelShapes,
  ObjectJsonSchema,
  OpenAiPictures,
  OpenAiTool,
  OpenAiToolMessage,
  OpenAiToolResult,
} from './model/profiles/shapes.js';
export type {
  ModelPreferences,
  SamplingBlock,
  SamplingFields,
  SamplingMessage,
  SamplingPort,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
  ToolChoiceMode,
  toolChoiceModes,
} from './model/sampling.js';
export type { ServerDefinition } from './model/server-definition.js';
export type { ServerError, ServerResult } from './model/server-result.js';
export { Spilled } from './model/spilled.js';
export type { StatedHints } from './model/stated-hints.js';
export type {
  CallContext,
  CallProgress,
  InputRelay,
  CallTraits,
  JsonSchema,
  SavedFile,
  Tool,
  ToolDefinition,
  ToolHints,
  ToolInput,
  ToolMarks,
  ToolMeta,
  ToolResult,
  TaskTerms,
} from './model/tool.js';
export type {
  AdviceEdit,
  AdviceStep,
  CacheBreaks,
  LedgerExtent,
  ServerValue,
  ToolValue,
  UnreadFile,
  UseValue,
  ValueAdvice,
  ValueReport,
} from './model/value/server-value.js';
export type { Mention } from './model/view/mentions.js';
export type { Repaired, SetAside } from './model/view/model-view-server.js';
export type { ChangeCost, CostReport, ServerCost, ToolCost } from './model/view/tool-cost.js';
export type { BuiltInAnswer } from './tools/built-in.js';
export type { LinkedEnd } from './transports/in-process/in-process-pipe.js';
export type { EmbeddedServer, RawEntry } from './transports/kind.js';
export type {
  JsonRpcError,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from './wire/message.js';
export type { PipeWarning } from './wire/pipe.js';
