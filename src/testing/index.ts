// The public door of `plugboard/testing`: servers that do what no server should, for anyone who has written a host.
export type {
  CallOutcome,
  Connected,
  Count,
  Expectation,
  Failure,
  ListOutcome,
  NextOutcome,
  Refused,
  When,
} from './expectation.js';
export { FORGED, HONEST, usualTools } from './expectation.js';
export type { IncomingRequest } from './http-turn.js';
export type { HttpMode, Mode, ModeListing, StdioMode } from './mode.js';
export { toListing } from './mode.js';
export { findMode, modes } from './modes.js';
export { chooseConversations, type Recording, readRecording } from './recording.js';
export { replayServer, serveReplay } from './replay.js';
export { serveHttp, type ServedMode, type ServeOptions } from './serve-http.js';
export { serveStdio } from './serve-stdio.js';
export type { StdioStreams } from './stdio-turn.js';
