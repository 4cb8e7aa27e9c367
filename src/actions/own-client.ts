import type { ConfigContext } from '../config/context.js';
import type { ClientFields } from '../config/edit/edit-client.js';
import type { ConfiguredServer } from '../config/entries/server.js';

export type { ClientFields };

/** Whether the OAuth client of a server can be written into its entry. */
export async function hasOwnEntry(server: ConfiguredServer): Promise<boolean> {
  const { isOwnEntry } = await import('../config/edit/edit-client.js');
  return isOwnEntry(server);
}

/** Writes the OAuth client into its server's entry, because tokens are bound to their client. Returns the file. */
export async function keepClient(
  config: ConfigContext,
  entry: Pick<ConfiguredServer, 'name' | 'origin'>,
  fields: ClientFields,
): Promise<string> {
  const { editClient } = await import('../config/edit/edit-client.js');
  const { file } = await editClient(config, entry, fields);
  return file;
}
