import type { Option } from '../../verb.js';
import { BYPASS_FLAG } from './mode-words.js';

/** A flag that agent SDKs send, and what becomes of it where there is nothing here that could obey it. */
export interface DriverOption extends Option {
  readonly hidden: true;
  /** Why it is accepted without effect: named once on stderr. */
  readonly unmet?: string;
  /** Why the program does not start with it: it would restrict, and nothing here can do that. */
  readonly barred?: string;
}

const MANAGED = 'settings of an administrator are read from the folder of the administrator alone';

/**
 * The flags of published agent SDKs that are not flags of people: docs/agent-sdks.md lists them all. What restricts is
 * obeyed or refused, never ignored.
 */
export const driverOptions: readonly DriverOption[] = [
  flag('allowedTools', 'LIST', 'as --allow, with commas'),
  flag('disallowedTools', 'LIST', 'as --deny, with commas'),
  flag('tools', 'LIST', 'the built-in tools to offer; empty: none'),
  flag('permission-prompts', 'WHO', 'host, or none: what would be asked about is denied', {
    choices: ['host', 'none'],
  }),
  flag(BYPASS_FLAG, undefined, 'the program may choose the mode bypassPermissions'),
  flag('setting-sources', 'LIST', 'which files are read: user, project, local; empty: none'),
  flag('settings', 'FILE-OR-JSON', 'permissions, hooks and policies of this run'),
  flag('add-dir', 'DIR', 'one more folder to work in', { repeatable: true }),
  flag('plugin-dir', 'DIR', 'a plugin of this run', { repeatable: true }),
  flag('plugin-dir-no-mcp', 'DIR', 'a plugin without its servers', {
    repeatable: true,
    unmet: 'only the servers of a plugin are used here',
  }),
  flag('include-hook-events', undefined, 'a line when a hook starts, and one when it ends'),
  flag('debug', 'FILTER', 'as --trace', { isValueOptional: true }),
  flag('debug-file', 'FILE', 'as --record'),
  flag('debug-to-stderr', undefined, 'as --trace'),
  flag('await-initialize', undefined, 'the first line opens the session in any case'),
  flag('json-schema', 'JSON', 'a schema for the answer', { unmet: 'answers are not held against a schema' }),
  flag('effort', 'WORD', 'how thorough the model is to be'),
  flag('thinking', 'WORD', 'whether the model thinks', { choices: ['adaptive', 'enabled', 'disabled'] }),
  flag('max-thinking-tokens', 'TOKENS', 'how much the model may think'),
  flag('thinking-display', 'WORD', 'how thinking is shown', { unmet: 'thinking is shown as the API sends it' }),
  flag('betas', 'LIST', 'names for the header anthropic-beta'),
  flag('task-budget', 'TOKENS', 'a budget of tokens'),
  flag('fallback-model', 'NAME', 'the model that answers where the other one cannot'),
  flag('channels', 'LIST', 'channels', { unmet: 'there are no channels' }),
  flag('session-mirror', undefined, 'a copy of the session', { unmet: 'sessions are not mirrored' }),
  flag('resume-drops-turn', 'ID', 'leaves out a turn', { unmet: 'a resumed session keeps its turns' }),
  flag('project-config-root', 'DIR', 'the project', { unmet: 'the project is that of the working directory' }),
  flag('agent', 'NAME', 'the sub-agent to be', { barred: 'the limits of a sub-agent cannot be given to a session' }),
  flag('max-budget-usd', 'USD', 'a limit of cost', { barred: 'prices of models are not known here' }),
  flag('managed-settings', 'FILE-OR-JSON', 'settings of an administrator', { barred: MANAGED }),
  flag('managed-settings-in-initialize', undefined, 'settings of an administrator', { barred: MANAGED }),
];

function flag(
  name: string,
  value: string | undefined,
  summary: string,
  more: Partial<DriverOption> = {},
): DriverOption {
  return { name, ...(value !== undefined && { value }), summary, ...more, hidden: true };
}
