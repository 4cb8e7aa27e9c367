import { dryRunArgument, scopeArgument } from '../../actions/shared-arguments.js';
import { toOption } from '../start/action-verb.js';
import type { Invocation } from './arguments.js';
import type { Option } from '../verb.js';

/** Flags that every command takes. */
export const commonOptions: readonly Option[] = [
  { name: 'json', summary: 'answer as one JSON object on stdout' },
  { name: 'cwd', value: 'DIR', summary: 'work as if started in DIR' },
  { name: 'mcp-config', value: 'FILE-OR-JSON', repeatable: true, summary: 'add servers for this run' },
  { name: 'mcp-server', value: 'NAME=JSON', repeatable: true, summary: 'add one server for this run' },
  { name: 'strict-mcp-config', summary: 'use only the servers of the two flags above' },
  { name: 'approve-project-servers', summary: "let the project's servers run, this time only" },
  { name: 'trust-folder', summary: 'start your servers in this folder, this time only' },
  { name: 'timeout', value: 'MS', summary: 'time limit for all of it (default: 30 s a server, 60 s a list)' },
  { name: 'record', value: 'FILE', summary: "record this run's messages in FILE, without secrets" },
  { name: 'trace', summary: "show this run's messages on stderr, without secrets" },
  { name: 'quiet', summary: 'no notes on stderr' },
  { name: 'verbose', summary: 'more notes on stderr' },
  { name: 'no-color', summary: 'no colours (as NO_COLOR does)' },
  { name: 'plain', summary: 'plain lines for a screen reader or a log: no colours, nothing redrawn' },
  { name: 'reveal', summary: 'show secrets instead of masking them' },
  { name: 'help', short: 'h', summary: 'explain the command' },
  { name: 'version', short: 'v', summary: 'print the version' },
];

export const scopeOption = toOption('scope', scopeArgument);

/** Scopes that `add` can write to. Others are refused with the message that existing scripts look for. */
export const addScopeOption: Option = {
  ...scopeOption,
  summary: 'local (yours, this project; the default), project (.mcp.json) or user',
  refusals: Object.fromEntries(
    ['dynamic', 'enterprise', 'plugin', 'connectors', 'linked'].map((scope) => [
      scope,
      `Cannot add MCP server to scope: ${scope}`,
    ]),
  ),
};

export const dryRunOption = toOption('dryRun', dryRunArgument);

/** The value of `--scope`, checked when the command line was parsed. */
export function scopeOf(invocation: Invocation): (typeof scopeArgument.choices)[number] | undefined {
  return scopeArgument.choices.find((scope) => scope === invocation.value('scope'));
}
