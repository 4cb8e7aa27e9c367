import type { ConfigContext } from '../context.js';
import { type Edit, editFile } from './edit-file.js';
import { getFromText, setInText } from './edit-text.js';
import { loadHostConfig } from '../load.js';
import { refuseLocked, unknownServer } from './manage.js';
import type { ConfiguredServer } from '../entries/server.js';

/** The OAuth client in an entry. */
export interface ClientFields {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly callbackPort?: number;
}

/** Whether the entry is in a file of the user's own. A shared file belongs to others, too, and needs a new approval. */
export function isOwnEntry({ scope }: Pick<ConfiguredServer, 'scope'>): boolean {
  return scope === 'local' || scope === 'user';
}

/** Writes these fields into `oauth` of an entry in a file of the user's own; other fields stay. */
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
      // The entry may have been removed since it was loaded.
      if (getFromText(text, ['mcpServers', name]) === undefined) throw unknownServer(loaded, name);
      return Object.entries(fields).reduce(
        (edited, [field, value]) => setInText(edited, ['mcpServers', name, 'oauth', field], value),
        text,
      );
    },
    { context },
  );
}
