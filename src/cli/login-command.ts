import { HostError } from '../base/errors.js';
import { nameWord, shellWord } from '../base/shell-word.js';
import { maskUrl } from '../config/mask.js';
import type { ConfiguredServer } from '../config/server.js';

type Named = Pick<ConfiguredServer, 'name' | 'scope' | 'config'>;

/**
 * A server that came with the run is not known by its name to the next one: who is to sign in to it is told its address, under
 * which the tokens are kept; or the same flags, where more than the address matters.
 */
export function loginCommand(hint: string, { name, scope, config }: Named): string {
  const command = `plugboard login ${nameWord(name)}`;
  if (scope !== 'dynamic' || !hint.includes(command)) return hint;
  const url = config && 'headers' in config && !config.oauth ? config.url : undefined;
  if (url === undefined || maskUrl(url) !== url) return hint.replace(command, () => `with the same flags: ${command}`);
  return hint.replace(command, () => `plugboard login ${shellWord(url)}`);
}

/** The same for an error that may be about any of them. */
export function withLoginCommand(error: unknown, servers: readonly Named[]): unknown {
  if (!(error instanceof HostError) || error.hint === undefined) return error;
  const { code, message, hint, detail } = error;
  const told = servers.reduce(loginCommand, hint);
  if (told === hint) return error;
  return new HostError(code, message, { hint: told, cause: error, ...(detail && { detail }) });
}
