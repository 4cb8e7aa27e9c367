import { SKILLS_CAPABILITY } from '../../connection/catalog/skill-definition.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { declaredTo, type HostCaller } from '../host-caller.js';
import type { Configuration } from './configuration.js';
import type { Server } from './server.js';

/**
 * The caller that the own connections of a host are opened for which serves others. It declares everything that can be
 * passed on, because some servers list more tools to a client that can do more, and there is nobody behind it.
 */
export function listingCaller(configuration: Configuration, server: Server): HostCaller {
  const caller: HostCaller = {
    principal: 'local',
    client: undefined,
    capabilities: {
      extensions: { ...SKILLS_CAPABILITY.extensions, ...UI_EXTENSION },
      elicitation: { form: {}, url: {} },
      roots: {},
      sampling: { tools: {} },
    },
    roots: [],
    answer: (method) => {
      if (method === 'roots/list') return Promise.resolve({ roots: [] });
      if (method === 'elicitation/create') return Promise.resolve({ action: 'decline' });
      return Promise.reject(new JsonRpcFailure(REJECTED, 'Nobody is here to answer'));
    },
    onNotification: () => {},
  };
  return { ...caller, capabilities: declaredTo(server, configuration, caller) };
}

/** https://github.com/modelcontextprotocol/ext-apps: some servers list tools with pages only to clients that show them. */
const UI_EXTENSION = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } as const;
const REJECTED = -1; // as for sampling that a user has refused
