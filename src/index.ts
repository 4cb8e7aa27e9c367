export { type ErrorCode, HostError, type HostErrorOptions } from './base/errors.js';
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
export type { CatalogChange } from './connection/catalog.js';
export { Host } from './host/host.js';
export type { CallResult } from './host/host-call.js';
export type { HostEvents, ServerChange } from './host/host-events.js';
export type { ForkOptions, HostOptions, ToolRequest } from './host/host-options.js';
export type { HostState, ServerDetail } from './host/host-state.js';
export type { Ports } from './host/ports.js';
export type { ErrorView, ServerState, StatusWord } from './host/server-state.js';
export type { SharedServers } from './host/shared-servers.js';
export type { HostTool } from './host/tool-table.js';
export type { Clock } from './model/clock.js';
export type { EmbeddedServer } from './transports/kind.js';
