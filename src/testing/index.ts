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
