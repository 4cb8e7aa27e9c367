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
