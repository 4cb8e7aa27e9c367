import { HostError } from '../../base/errors.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import type { ConfiguredServer } from '../../config/entries/server.js';

type Named = Pick<ConfiguredServer, 'name' | 'scope' | 'config' | 'accountOf'>;

/**
 * Rewrites the login command in a hint for a server that the command line defined: the next run does not know its name.
 * The URL takes its place, because tokens are stored under it; or the same flags, when the URL is not enough.
 */
export function loginCommand(hint: string, { name, scope, config, accountOf }: Named): string {
  if (scope !== 'dynamic') return hint;
  const url = config && 'headers' in config && !config.oauth && accountOf === undefined ? config.url : undefined;
  const isEnough = url !== undefined && maskUrl(url) === url;
  // Another server's name may start with this one.
  const quoted = nameWord(name).replaceAll(/[^\w ]/gu, String.raw`\$&`);
  const pattern = new RegExp(String.raw`(?<!flags: )(plugboard login (?:--device )?)${quoted}(?=$|[\s;,])`);
  return hint.replace(pattern, (_, command: string) =>
    isEnough ? `${command}${shellWord(url)}` : `with the same flags: ${command}${nameWord(name)}`,
  );
}

/** Rewrites the hint of an error that may be about any of these servers. */
export function withLoginCommand(error: unknown, servers: readonly Named[]): unknown {
  if (!(error instanceof HostError) || error.hint === undefined) return error;
  const { code, message, hint, detail } = error;
  const told = servers.reduce(loginCommand, hint);
  if (told === hint) return error;
  return new HostError(code, message, { hint: told, cause: error, detail });
}
