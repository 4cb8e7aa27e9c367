import type { ConfiguredServer, LoadedConfig } from '../../actions/action-place.js';
import { isObject } from '../../base/json.js';
import { type ClientFields, hasOwnEntry, keepClient } from '../../actions/own-client.js';
import type { Invocation } from '../input/arguments.js';
import { askClientSecret, toClient } from '../input/client-flags.js';
import { showLine, showName } from '../../model/show.js';
import { usageError } from '../input/usage-error.js';
import type { ProgramRun } from '../verb.js';

/** An OAuth client from the flags. */
export interface GivenClient {
  /** The invocation with the client in the server's entry. */
  readonly invocation: Invocation;
  /** Writes the client into the entry, because tokens are bound to their client. Resolves to a note with the file. */
  keep(): Promise<string>;
}

/**
 * The client of `--client-id`, `--client-secret` and `--callback-port`: used for the sign-in and written into the entry
 * when that succeeds, so that later runs find its tokens. Undefined without these flags.
 */
export async function givenClient(
  { invocation, io }: ProgramRun,
  { context }: LoadedConfig,
  server: ConfiguredServer,
): Promise<GivenClient | undefined> {
  const flags: ClientFields = toClient(invocation);
  const hasSecret = invocation.has('client-secret');
  if (!hasSecret && Object.keys(flags).length === 0) return undefined;
  const name = server.accountOf ?? server.name;
  if (!(await hasOwnEntry(server))) {
    throw usageError(`the OAuth client of "${name}" must be in its entry, in ${server.origin}`, {
      hint: `Write "oauth": { "clientId": "..." } there, or add an entry of your own: plugboard add ${showName(name)} URL --client-id ID`,
    });
  }
  const oauth = isObject(server.written?.['oauth']) ? server.written['oauth'] : {};
  if (hasSecret && flags.clientId === undefined && typeof oauth['clientId'] !== 'string') {
    throw usageError('--client-secret needs the client id that it belongs to', {
      hint: `plugboard login ${showName(name)} --client-id ID --client-secret`,
    });
  }
  const fields = hasSecret ? { ...flags, clientSecret: await askClientSecret(io) } : flags;
  const entry = { ...server.written, oauth: { ...oauth, ...fields } };
  const given = `${name}=${JSON.stringify(entry)}`;
  return {
    invocation: {
      ...invocation,
      values: (option) => [...invocation.values(option), ...(option === 'mcp-server' ? [given] : [])],
    },
    async keep() {
      return showLine(`File modified: ${await keepClient(context, { name, origin: server.origin }, fields)}`);
    },
  };
}
