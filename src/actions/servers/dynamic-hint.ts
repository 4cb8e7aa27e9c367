import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { maskArguments } from '../../model/redaction/mask-arguments.js';
import { escapePattern } from '../../model/redaction/escape-pattern.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import type { ConfiguredServer } from '../../config/entries/server.js';

type Named = Pick<ConfiguredServer, 'name' | 'scope' | 'config' | 'accountOf'>;

/**
 * Rewrites the commands in a hint for a server that the command line defined: the next run does not know its name. Its
 * URL or its command takes the place of the name; or the same flags, when these are not enough.
 */
export function dynamicHint(hint: string, server: Named): string {
  const { name, scope } = server;
  if (scope !== 'dynamic') return hint;
  // Another server's name may start with this one.
  const pattern = new RegExp(
    String.raw`(?<!flags: )(plugboard (${COMMANDS}) )${escapePattern(nameWord(name))}(?=$|[\s;,])`,
    'gu',
  );
  return hint.replaceAll(pattern, (_, command: string, verb: string) => {
    const words = WORDS[verb]?.(server);
    return words === undefined ? `with the same flags: ${command}${nameWord(name)}` : command + words;
  });
}

/** Tokens are stored under the URL. */
function signInUrlOf({ config, accountOf }: Named): string | undefined {
  const url = config && 'headers' in config && !config.oauth && accountOf === undefined ? config.url : undefined;
  return url !== undefined && maskUrl(url) === url ? shellWord(url) : undefined;
}

/** The URL, where the entry says nothing else. */
function urlOf(server: Named): string | undefined {
  const { config } = server;
  return config?.type === 'http' && isDefault(config, ['type', 'url', 'headers']) ? signInUrlOf(server) : undefined;
}

/** The command, where the entry says nothing else, and it is short and has no secrets. */
function commandOf({ config }: Named): string | undefined {
  if (config?.type !== 'stdio' || !isDefault(config, ['type', 'command', 'args', 'env'])) return undefined;
  const { command, args } = config;
  const isMasked = maskArguments(args, command).some((word, at) => word !== args[at]);
  const words = `-- ${[command, ...args].map(shellWord).join(' ')}`;
  return isMasked || words.length > COMMAND_LIMIT ? undefined : words;
}

const COMMAND_LIMIT = 100; // characters; longer ones are not read in a hint

/** Whether an entry has no other fields than these, and those that hold others are empty. */
function isDefault(config: object, known: readonly string[]): boolean {
  return Object.entries(config).every(
    ([field, value]) =>
      value === undefined ||
      (known.includes(field) && (!isObject(value) || Object.keys(value).length === 0 || Array.isArray(value))),
  );
}

/** What takes the place of the name, by command. */
const WORDS: Readonly<Record<string, (server: Named) => string | undefined>> = {
  'login --device': signInUrlOf,
  login: signInUrlOf,
  doctor: (server) => urlOf(server) ?? commandOf(server),
  get: urlOf,
  logs: () => undefined,
  reconnect: () => undefined,
};
const COMMANDS = Object.keys(WORDS).join('|');

/** Rewrites the hint of an error that may be about any of these servers. */
export function withDynamicHint(error: unknown, servers: readonly Named[]): unknown {
  if (!(error instanceof HostError) || error.hint === undefined) return error;
  const { code, message, hint, detail } = error;
  const told = servers.reduce(dynamicHint, hint);
  if (told === hint) return error;
  return new HostError(code, message, { hint: told, cause: error, detail });
}
