import type { ConfigContext } from '../context.js';
import { type Edit, editFile } from './edit-file.js';
import { getFromText, setInText } from './edit-text.js';
import { loadHostConfig } from '../load.js';
import { refuseLocked, unknownServer } from './manage.js';
import type { ConfiguredServer } from '../entries/server.js';

/** What an entry says about who this program is to the authorization server. */
export interface ClientFields {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly callbackPort?: number;
}

/** Whether its entry may be changed without asking anybody: a shared file is everybody's, and would have to be approved anew. */
export function isOwnEntry({ scope }: Pick<ConfiguredServer, 'scope'>): boolean {
  return scope === 'local' || scope === 'user';
}

/** Writes into `oauth` of an entry in a file of the user's own; what else is in it stays as it is. */
export async function editClient(
  context: ConfigContext,
  { name, origin }: Pick<ConfiguredServer, 'name' | 'origin'>,
  fields: ClientFields,
): Promise<Edit> {
  const loaded = await loadHostConfig(context);
  refuseLocked(loaded, 'change');
  return editFile(
    origin,
    (text) => {
      // Someone may have removed it since it was looked for.
      if (getFromText(text, ['mcpServers', name]) === undefined) throw unknownServer(loaded, name);
      return Object.entries(fields).reduce(
        (edited, [field, value]) => setInText(edited, ['mcpServers', name, 'oauth', field], value),
        text,
      );
    },
    { context },
  );
}
