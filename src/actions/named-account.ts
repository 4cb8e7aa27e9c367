import type { ConfiguredServer, LoadedConfig } from './action-place.js';
import { chooseServers } from './choose-servers.js';
import { loadConfiguration } from './load-configuration.js';
import { usageError } from './usage-error.js';

/** The server or account that a name means. */
export interface NamedAccount {
  readonly loaded: LoadedConfig;
  readonly server: ConfiguredServer;
  /** Removes the account that `namedAccount` added; undefined when it existed before. */
  readonly undo?: () => Promise<void>;
}

/** `github@work` adds an account to the server `github` if it is new. Throws when no such server may run. */
export async function namedAccount(name: string, loaded: LoadedConfig): Promise<NamedAccount> {
  const [known] = chooseServers(loaded, name);
  if (known) return { loaded, server: known };
  const { addAccount, removeAccount, splitAccount } = await import('../config/accounts.js');
  const split = splitAccount(name);
  if (!split) refuseAccount(name, loaded);
  const [base] = split ? chooseServers(loaded, split.server) : [];
  if (!split || !base) throw (await import('../config/edit/manage.js')).unknownServer(loaded, name);
  const { context } = loaded;
  await addAccount(context, split.server, split.account);
  const undo = (): Promise<void> => removeAccount(context, split.server, split.account);
  try {
    const again = await loadConfiguration(context);
    const [server] = chooseServers(again, name);
    if (!server) throw (await import('../config/edit/manage.js')).unknownServer(loaded, name);
    return { loaded: again, server, undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Throws `usage` for a known server followed by `@` and an invalid account name. */
function refuseAccount(name: string, { servers }: LoadedConfig): void {
  const server = servers.map((one) => one.name).find((known) => name.startsWith(`${known}@`));
  if (server === undefined) return;
  const account = name.slice(server.length + 1);
  throw usageError(`"${account}" cannot be the name of an account of "${server}"`, {
    hint: 'Use letters, digits, dots, hyphens and underscores, 64 at most',
  });
}
