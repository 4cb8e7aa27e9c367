import type { Session } from '../../session/index.js';
import type { Host } from '../../index.js';
import { HostError } from '../../base/errors.js';
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
