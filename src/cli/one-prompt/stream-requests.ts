import type { Session } from '../../session/index.js';
import type { Host } from '../../index.js';
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import { gateLine } from '../../model/text/text-gate.js';

type Request = { readonly [field: string]: unknown };

export interface StreamRequestsOptions {
  readonly session: () => Promise<Session>;
  /** Switches the model from the next turn on; undefined for the default. Rejects with a HostError. */
  readonly useModel: (name: string | undefined) => Promise<void>;
  /** Stops the turn that is under way. */
  readonly interrupt: () => void;
}

/** Answers a request of the embedding program, by its subtype. Rejects with a HostError in words for that program. */
export async function answerRequest(request: Request, options: StreamRequestsOptions): Promise<object> {
  const { subtype } = request;
  switch (subtype) {
    case 'interrupt':
      options.interrupt();
      return {};
    case 'initialize':
      return describe(await options.session());
    case 'set_model': {
      const { model: name } = request;
      await options.useModel(typeof name === 'string' && name !== 'default' ? name : undefined);
      return {};
    }
    case 'mcp_status':
      return { mcpServers: toStatuses((await options.session()).host) };
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
    default:
      throw new HostError('unsupported', `not supported here: ${gateLine(String(subtype), { limit: 100 }).text}`);
  }
}

async function describe({ host, model }: Session): Promise<object> {
  const found = await host.prompts();
  const commands = found.ok ? found.prompts : [];
  return {
    commands: commands.map(({ command, description, arguments: wanted }) => ({
      name: command.slice(1),
      description,
      argumentHint: wanted.map(({ name }) => `<${name}>`).join(' '),
    })),
    models: model ? [{ value: model.name, displayName: model.name, description: model.provider }] : [],
    output_style: 'default',
    available_output_styles: ['default'],
    account: {},
  };
}

function toStatuses(host: Host): readonly object[] {
  return host
    .servers()
    .filter(({ status }) => status !== 'duplicate')
    .map(({ name, status, scope, tools, error }) => ({
      name,
      status,
      scope,
      tools,
      ...(error && { error: error.message }),
    }));
}

function serverOf(request: Request, host: Host): string {
  const { serverName: name } = request;
  if (typeof name === 'string' && host.server(name)) return name;
  throw new HostError('unknown-server', shorten(`there is no server ${JSON.stringify(name) ?? ''}`, 200));
}

/** What an `initialize` request brings for the session that is about to open. */
export interface Initialization {
  /** Names of servers that the embedding program serves. */
  readonly servers: readonly string[];
  /** Text that the model is given in addition. */
  readonly instructions: string;
  /** In the shape of `--agents`. */
  readonly agents: object | undefined;
}

/** Throws a HostError for what is not supported: a hook that never runs would let every call pass. */
export function readInitialization(request: Request | undefined): Initialization {
  const { sdkMcpServers: servers = [], systemPrompt, appendSystemPrompt, agents, hooks } = request ?? {};
  const wanted = isObject(hooks) ? Object.keys(hooks).filter((event) => hasEntries(hooks[event])) : [];
  if (wanted.length > 0) {
    throw new HostError('unsupported', `hooks are not supported over stream-json: ${shorten(wanted.join(', '), 200)}`);
  }
  if (!Array.isArray(servers) || !servers.every((name) => typeof name === 'string' && /^[^=]{1,300}$/u.test(name))) {
    throw new HostError('usage', 'sdkMcpServers is not an array of names');
  }
  const texts = [systemPrompt, appendSystemPrompt].filter((text) => typeof text === 'string' && text.trim() !== '');
  return {
    servers: servers as readonly string[],
    instructions: texts.join('\n\n'),
    agents: isObject(agents) && Object.keys(agents).length > 0 ? agents : undefined,
  };
}

/** For an `initialize` that is not the first line: nothing in it may be ignored silently. Throws a HostError. */
export function checkLate(request: Request, { host }: Session): void {
  const { servers, instructions, agents } = readInitialization(request);
  if (servers.every((name) => host.server(name)) && instructions === '' && !agents) return;
  throw new HostError('usage', 'initialize must be the first line: the session is already open and cannot use it');
}

function hasEntries(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
