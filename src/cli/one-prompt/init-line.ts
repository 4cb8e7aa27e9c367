import type { Session } from '../../session/index.js';
import type { Host, ServerState } from '../../index.js';
import { isVisible } from '../../model/permissions/decide.js';
import { VERSION } from '../../base/version.js';
import type { PermissionMode } from '../../model/permissions/settings.js';
import { gateLine } from '../../model/text/text-gate.js';
import { toDriverMode } from '../input/driver/mode-words.js';
import type { Io } from '../io.js';
import { driverSourceOf, toDriverStatus } from './control/mcp-status.js';

export interface InitOptions {
  readonly session: Session;
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly agents: readonly string[];
  /** Names of commands besides the prompts of servers. */
  readonly commands: readonly string[];
  readonly env: Io['env'];
}

/** The line before each turn in stream-json: the model, the servers and tools, and the entries that do not work. */
export async function toInit({ session, cwd, mode, agents, commands, env }: InitOptions): Promise<object> {
  const { host, model } = session;
  const servers = host.servers();
  return {
    type: 'system',
    subtype: 'init',
    cwd,
    model: model?.name ?? '',
    tools: toolNames(host),
    mcp_servers: toDriverServers(servers),
    mcp_server_errors: servers.flatMap(toServerError),
    permissionMode: toDriverMode(mode),
    slash_commands: [...commands, ...(await promptNames(host))],
    agents,
    skills: (await host.skills()).skills.map(({ name }) => name),
    plugins: [],
    apiKeySource: env['ANTHROPIC_API_KEY'] ? 'ANTHROPIC_API_KEY' : 'none',
    claude_code_version: VERSION,
    output_style: 'default',
    capabilities: ['interrupt_receipt_v1'],
  };
}

/** One status for each name: that of the entry that runs, or would. */
export function toServers(
  servers: readonly ServerState[],
): readonly { readonly name: string; readonly status: string }[] {
  const seen = new Map<string, string>();
  for (const { name, status } of servers) {
    if (status !== 'duplicate' && !seen.has(name)) seen.set(name, status);
  }
  return [...seen].map(([name, status]) => ({ name, status }));
}

/** The same in the words of agent SDKs, with where each server is from. */
function toDriverServers(servers: readonly ServerState[]): readonly object[] {
  const known = servers.filter(({ status }) => status !== 'duplicate');
  const first = new Map(known.toReversed().map((state) => [state.name, state]));
  return known
    .filter((state) => first.get(state.name) === state)
    .map((state) => ({ name: state.name, status: toDriverStatus(state.status), source: driverSourceOf(state) }));
}

/** All tools that the model may call, including those that it has to search for first. */
function toolNames(host: Host): readonly string[] {
  const isShown = ({ name }: { readonly name: string }): boolean => {
    const decision = host.permission(name);
    return decision !== undefined && isVisible(decision);
  };
  const own = host.tools().filter(({ marks }) => !marks.isHidden);
  return [...host.builtIns(), ...own].filter(isShown).map(({ name }) => name);
}

async function promptNames(host: Host): Promise<readonly string[]> {
  const found = await host.prompts();
  return found.ok ? found.prompts.map(({ command }) => command.slice(1)) : [];
}

/** Entries that could not be used; the values of `type` are those of other hosts. */
function toServerError({ name, status, error }: ServerState): readonly object[] {
  if (status !== 'invalid' || !error) return [];
  const message = gateLine(error.message).text;
  const type = /\breserved\b/u.test(message)
    ? 'reserved_name'
    : /\btype\b/u.test(message)
      ? 'unknown_type'
      : 'invalid_config';
  return [{ name, type, message }];
}
