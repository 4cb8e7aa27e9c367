import { HostError } from '../../base/errors.js';
import type { Invocation } from './arguments.js';
import type { Io } from '../io.js';
import type { Option } from '../verb.js';

/** Flags for an OAuth client that was registered with the authorization server beforehand. */
export const clientOptions: readonly Option[] = [
  { name: 'client-id', value: 'ID', summary: 'OAuth client id' },
  { name: 'client-secret', summary: 'take the OAuth client secret from MCP_CLIENT_SECRET, or ask for it' },
  { name: 'callback-port', value: 'PORT', summary: 'fixed port of the OAuth callback' },
];

/** The client flags without the secret, in the shape of an entry's `oauth`. Throws `usage`. */
export function toClient(invocation: Invocation): { readonly clientId?: string; readonly callbackPort?: number } {
  const clientId = invocation.value('client-id');
  const port = invocation.value('callback-port');
  if (port !== undefined && (!/^\d{1,5}$/u.test(port) || Number(port) < 1 || Number(port) > 65_535)) {
    throw new HostError('usage', '--callback-port must be an integer in [1, 65535]');
  }
  return { ...(clientId !== undefined && { clientId }), ...(port !== undefined && { callbackPort: Number(port) }) };
}

/** Asks for the client secret, or takes MCP_CLIENT_SECRET; never from the command line, which all users can read. */
export async function askClientSecret(io: Io): Promise<string> {
  const given = io.env['MCP_CLIENT_SECRET'];
  if (given !== undefined && given !== '') return given;
  if (!io.stdin.isTerminal) {
    throw new HostError('needs-terminal', 'Cannot ask you for the client secret: no terminal', {
      hint: 'Set MCP_CLIENT_SECRET',
    });
  }
  return (await io.stdin.askSecret('Client secret: ')).trim();
}
