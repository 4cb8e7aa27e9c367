// The public door `plugboard/testing`: hostile servers and replay, for tests of any MCP host.
export type {
  Bounds,
  CallOutcome,
  Connected,
  Count,
  Eager,
  Expectation,
  Failure,
  ListOutcome,
  NextOutcome,
  Refused,
  Shown,
  SignInOutcome,
  SignInWanted,
  When,
} from './expectation.js';
export { FORGED, HONEST, SECRET, usualTools } from './expectation.js';
export type { IncomingRequest } from './http/http-turn.js';
export type { ServedMode, ServeOptions } from './loopback.js';
export type { Channel, HttpMode, Mode, ModeListing, Setup, SseMode, StdioMode, WsMode } from './mode.js';
export { toListing } from './mode.js';
export { channels, findMode, modes } from './modes.js';
export { chooseConversations, type Recording, readRecording } from './replay/recording.js';
export { replayServer, serveReplay } from './replay/replay.js';
export { serveHttp } from './http/serve-http.js';
export { serveMode } from './serve-mode.js';
export { serveSse } from './sse/serve-sse.js';
export { serveStdio } from './serve-stdio.js';
export type { StdioStreams } from './stdio-turn.js';
export { serveWs } from './ws/serve-ws.js';
export type { ModeOver } from './mode.js';
export type { Headers, HttpHandlers } from './http/http-turn.js';
export type { SseHandlers } from './sse/sse-turn.js';
export type { StdioHandlers } from './stdio-turn.js';
export type { WsHandlers } from './ws/ws-turn.js';
export type { RecordedConversation } from './replay/recording.js';
export type { ReplayEnd, ReplayOptions } from './replay/replay.js';
export type { RecordedEvent } from './replay/recording.js';
export type { HttpHandler, HttpTurn, Reply } from './http/http-turn.js';
export type { SseHandler, StreamTurn } from './sse/sse-turn.js';
export type { StdioHandler } from './stdio-turn.js';
export type { WsHandler, WsTurn } from './ws/ws-turn.js';
export type { JsonRpcMessage } from '../wire/message.js';
export type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../wire/message.js';
export type { Hear } from './received-messages.js';
export type { Bytes } from './write.js';
export type { EventStream } from './http/event-stream.js';
export type { JsonObject } from '../base/json.js';
export type { SseTurn } from './sse/sse-turn.js';
export type { StdioTurn } from './stdio-turn.js';
export type { FrameOptions } from './ws/frame.js';
export type { JsonRpcError, RequestId } from '../wire/message.js';
export type { ReceivedMessage } from './received-messages.js';
export type { EventFields } from './http/event-stream.js';
