import type { RequestAct } from '../../model/permissions/server-act.js';
import type { Assembly } from '../assembly.js';
import type { CallServices } from '../calls/call-services.js';
import { samplingSubject } from '../features/sampling-permission.js';
import type { Server } from '../servers/server.js';
import type { ServerTool } from '../servers/server-tool.js';
import type { Servers } from '../servers/servers.js';

/** What clients of a gateway can be offered: read where a client asks, so that nothing is prepared for models. */
export interface ClientOffers {
  /** The servers that no rule denies as a whole and that are not switched off. */
  servers(): readonly Server[];
  /** All tools of servers, denied ones included. The same array until something changes. */
  tools(): readonly ServerTool[];
  /** Whether a tool may be listed: no rule denies it, and it is as pinned. */
  isListed(tool: ServerTool): boolean;
  /** Whether prompts or resources of a server may be listed. */
  isOpen(act: RequestAct, server: string): boolean;
  /** Why a prompt is set aside; undefined where it is not. */
  promptFault(server: string, prompt: string): string | undefined;
  /** Whether the server's instructions differ from `mcp.lock`. */
  isWithheld(server: string): boolean;
  /** Whether no rule denies that a server uses the model of a client, whose user decides then. */
  maySample(server: string): boolean;
  /** Called when what is listed may have changed, for as long as the host is open. Contract: must not throw. */
  onChange(listener: () => void): void;
}

export function toClientOffers(
  servers: Servers,
  { guard }: Pick<CallServices, 'guard'>,
  { names, visibility, pins, requests }: Pick<Assembly, 'names' | 'visibility' | 'pins' | 'requests'>,
): ClientOffers {
  return {
    servers: () => visibility.servers().filter(({ status }) => status.kind !== 'disabled'),
    tools: () => names.tools,
    isListed: (tool) => visibility.isShown(tool),
    isOpen: (act, server) => requests.maySend(act, server),
    promptFault: (server, prompt) => pins.verdict(server)?.prompts.get(prompt),
    isWithheld: (server) => pins.isWithheld(server),
    maySample: (name) => {
      const server = servers.get(name);
      if (!server) return false;
      const subject = samplingSubject({
        server: name,
        entry: server.entry,
        servers: [...servers.names.names],
        isConnector: server.isConnector,
        rivals: servers.names.rivalsOf(name),
      });
      const { behavior, by } = guard.explain(subject);
      return behavior !== 'deny' || by.kind !== 'rule';
    },
    onChange: (listener) => servers.onTools(listener),
  };
}
