// The public door `plugboard/testing`: hostile servers, replay and scenarios of injected texts, for tests of any MCP
// host; a fake server and a fake clock, for tests of programs that embed Plugboard.
export type { JsonObject } from '../base/json.js';
export type {
  JsonRpcError,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from '../wire/message.js';
export {
  type Bounds,
  type CallOutcome,
  type Connected,
  type Count,
  type Eager,
  type Expectation,
  type Failure,
  FORGED,
  HONEST,
  type ListOutcome,
  type NextOutcome,
  type Refused,
  SECRET,
  type Shown,
  type SignInOutcome,
  type SignInWanted,
  usualTools,
  type When,
} from './expectation.js';
export { FakeClock } from './fake-clock.js';
export { type FakeEnd, type FakeResources, fakeServer, type FakeServer, type FakeTool } from './fake-server.js';
export type { FlowCall, FlowQuestion, FlowScenario, FlowServer, FlowStep, FlowToolCall } from './flow/flow-scenario.js';
export { flowScenarios } from './flow/flow-scenarios.js';
export { flowServer } from './flow/flow-server.js';
export type { HostRequest } from './healthy.js';
export type { EventFields, EventStream } from './http/event-stream.js';
export type { Handlers } from './http/handler-of.js';
export type { Headers, HttpHandler, HttpHandlers, HttpTurn, IncomingRequest, Reply } from './http/http-turn.js';
export { serveHttp } from './http/serve-http.js';
export type { ServedMode, ServeOptions } from './loopback.js';
export {
  type Channel,
  type HttpMode,
  type Mode,
  type ModeFacts,
  type ModeListing,
  type ModeOver,
  type Setup,
  type SseMode,
  type StdioMode,
  toListing,
  type WsMode,
} from './mode.js';
export { channels, findMode, modes } from './modes.js';
export type { Hear, ReceivedMessage, ServedRequest } from './received-messages.js';
export {
  chooseConversations,
  readRecording,
  type RecordedConversation,
  type RecordedEvent,
  type Recording,
} from './replay/recording.js';
export { type ReplayEnd, type ReplayOptions, replayServer, serveReplay } from './replay/replay.js';
export { serveFakeServer } from './serve-fake-server.js';
export { serveMode } from './serve-mode.js';
export { serveStdio } from './serve-stdio.js';
export { serveSse } from './sse/serve-sse.js';
export type { SseHandler, SseHandlers, SseTurn, StreamTurn } from './sse/sse-turn.js';
export type { StdioHandler, StdioHandlers, StdioStreams, StdioTurn } from './stdio-turn.js';
export type { Bytes } from './write.js';
export type { FrameOptions } from './ws/frame.js';
export { serveWs } from './ws/serve-ws.js';
export type { WsHandler, WsHandlers, WsTurn } from './ws/ws-turn.js';
