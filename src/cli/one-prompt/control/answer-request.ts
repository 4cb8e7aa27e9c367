import { allRules, setRunMode, setRunServers } from '../../../actions/driven/run-changes.js';
import type { AgentDefinition, Session } from '../../../session/index.js';
import type { Host } from '../../../index.js';
import { HostError } from '../../../base/errors.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import { shorten } from '../../../base/shorten.js';
import { VERSION } from '../../../base/version.js';
import { gateLine } from '../../../model/text/text-gate.js';
import { BYPASS_FLAG, readDriverMode } from '../../input/driver/mode-words.js';
import { LINE_COMMANDS } from '../say-line.js';
import { toContextUsage } from './context-usage.js';
import { toStatuses } from './mcp-status.js';

export interface DriverRequestOptions {
  readonly session: () => Promise<Session>;
  readonly agents: () => readonly AgentDefinition[];
  readonly cwd: string;
  /** Switches the model from the next turn on; undefined for the default. Rejects with a HostError. */
  readonly useModel: (name: string | undefined) => Promise<void>;
  /** Changes how much the model may think, from the next turn on. Rejects with a HostError. */
  readonly useThinking: (maxTokens: number | undefined) => Promise<void>;
  /** Stops the turn that is under way; `cancelsQueued`: drops the messages that wait, too. */
  readonly interrupt: (cancelsQueued: boolean) => object;
  /** Whether the program may choose the mode that asks nobody. */
  readonly mayBypass: boolean;
  /** Called after the permission mode has changed. */
  readonly onMode: () => void;
  /** Waits until the servers that were added have listed their tools, not for ever. Never rejects. */
  readonly waitForServers: (host: Host) => Promise<void>;
}

/** Answers a request of the embedding program, by its subtype. Rejects with a HostError in words for that program. */
export async function answerRequest(request: JsonObject, options: DriverRequestOptions): Promise<object> {
  const { subtype } = request;
  switch (subtype) {
    case 'interrupt':
      return options.interrupt(request['cancel_queued'] === true);
    case 'initialize':
      return describe(await options.session(), options.agents());
    case 'set_permission_mode':
      return setMode(request, options);
    case 'set_model': {
      const { model: name } = request;
      await options.useModel(typeof name === 'string' && name !== 'default' ? name : undefined);
      return {};
    }
    case 'set_max_thinking_tokens': {
      const { max_thinking_tokens: most } = request;
      const isNumber = typeof most === 'number' && Number.isInteger(most) && most >= 0;
      if (most !== undefined && most !== null && !isNumber)
        throw new HostError('usage', 'max_thinking_tokens is no number');
      await options.useThinking(isNumber ? most : undefined);
      return {};
    }
    case 'mcp_status':
      return { mcpServers: await toStatuses((await options.session()).host) };
    case 'mcp_reconnect': {
      const { host } = await options.session();
      const state = await host.reconnect(serverOf(request, host));
      if (state?.error && state.status !== 'connected') throw new HostError('connect-failed', state.error.message);
      return {};
    }
    case 'mcp_toggle': {
      const { host } = await options.session();
      const name = serverOf(request, host);
      if (request['enabled'] === true) host.enable(name);
      else host.disable(name);
      return {};
    }
    case 'mcp_set_servers':
      return setServers(request, options);
    case 'get_context_usage':
      return toContextUsage(await options.session());
    case 'list_permission_rules':
      return { state: listRules((await options.session()).host, options.cwd) };
    default:
      throw new HostError('unsupported', `Unsupported control request subtype: ${shown(subtype)}`);
  }
}

async function setMode({ mode }: JsonObject, { session, mayBypass, onMode }: DriverRequestOptions): Promise<object> {
  const { host } = await session();
  const reading = readDriverMode(mode);
  if (reading.kind === 'unknown') throw new HostError('usage', `Unknown permission mode: ${shown(mode)}`);
  if (reading.kind === 'bypass' && !mayBypass) {
    throw new HostError(
      'denied',
      `Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions (${BYPASS_FLAG})`,
    );
  }
  setRunMode(host, reading.kind === 'bypass' ? 'bypass' : reading.mode);
  onMode();
  return {};
}

async function setServers({ servers }: JsonObject, options: DriverRequestOptions): Promise<object> {
  if (!isObject(servers)) throw new HostError('usage', 'mcp_set_servers needs servers by name');
  const { host } = await options.session();
  const { added, removed, errors } = await setRunServers(host, servers);
  await options.waitForServers(host);
  const failed = added.flatMap((name): readonly (readonly [string, string])[] => {
    const { status, error } = host.server(name) ?? {};
    return error && status !== 'connected' && !Object.hasOwn(errors, name)
      ? [[name, gateLine(error.message).text]]
      : [];
  });
  return { added, removed, errors: { ...errors, ...Object.fromEntries(failed) } };
}

async function describe({ host, model }: Session, agents: readonly AgentDefinition[]): Promise<object> {
  const found = await host.prompts();
  const commands = found.ok ? found.prompts : [];
  return {
    commands: [
      ...LINE_COMMANDS,
      ...commands.map(({ command, description, arguments: wanted }) => ({
        name: command.slice(1),
        description,
        argumentHint: wanted.map(({ name }) => `<${name}>`).join(' '),
      })),
    ],
    agents: agents.map(({ name, description }) => ({ name, description })),
    models: model ? [{ value: model.name, displayName: model.name, description: model.provider }] : [],
    output_style: 'default',
    available_output_styles: ['default'],
    account: {},
    hooks_applied: true,
    hook_on_failure_supported: true,
    claude_code_version: VERSION,
  };
}

function listRules(host: Host, cwd: string): object {
  return {
    rules: allRules(host).map(({ list, text, source }) => ({
      behavior: list,
      rule: text,
      source: RULE_SOURCES[source] ?? 'cliArg',
      editability: 'readonly',
    })),
    workspaceDirectories: [],
    originalCwd: cwd,
    managedOnly: false,
  };
}

const RULE_SOURCES: Readonly<Record<string, string>> = {
  administrator: 'policySettings',
  flag: 'cliArg',
  local: 'localSettings',
  user: 'userSettings',
  project: 'projectSettings',
};

function serverOf(request: JsonObject, host: Host): string {
  const { serverName: name } = request;
  if (typeof name === 'string' && host.server(name)) return name;
  throw new HostError('unknown-server', `Server not found: ${shown(name)}`);
}

function shown(value: unknown): string {
  return gateLine(typeof value === 'string' ? value : shorten(JSON.stringify(value) ?? 'nothing', 100), { limit: 200 })
    .text;
}
