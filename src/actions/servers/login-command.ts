import { HostError } from '../../base/errors.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import type { ConfiguredServer } from '../../config/entries/server.js';

type Named = Pick<ConfiguredServer, 'name' | 'scope' | 'config' | 'accountOf'>;

/**
 * A server that came with the run is not known by its name to the next one: who is to sign in to it is told its address, under
 * which the tokens are kept; or the same flags, where more than the address matters.
 */
export function loginCommand(hint: string, { name, scope, config, accountOf }: Named): string {
  if (scope !== 'dynamic') return hint;
  const url = config && 'headers' in config && !config.oauth && accountOf === undefined ? config.url : undefined;
  const isEnough = url !== undefined && maskUrl(url) === url;
  // The name of another server may begin like this one.
  const quoted = nameWord(name).replaceAll(/[^\w ]/gu, String.raw`\$&`);
  const pattern = new RegExp(String.raw`(plugboard login (?:--device )?)${quoted}(?=$|[\s;,])`);
  return hint.replace(pattern, (_, command: string) =>
    isEnough ? `${command}${shellWord(url)}` : `with the same flags: ${command}${nameWord(name)}`,
  );
}

/** The same for an error that may be about any of them. */
export function withLoginCommand(error: unknown, servers: readonly Named[]): unknown {
  if (!(error instanceof HostError) || error.hint === undefined) return error;
  const { code, message, hint, detail } = error;
  const told = servers.reduce(loginCommand, hint);
  if (told === hint) return error;
  return new HostError(code, message, { hint: told, cause: error, detail });
}
