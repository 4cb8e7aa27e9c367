import { parseUrl } from '../../base/parse-url.js';
import { basename } from 'node:path';
import { shorten } from '../../base/shorten.js';
import { reservedNames } from '../../model/reserved-names.js';
import type { Entry } from '../../actions/arguments.js';
import { scopeArgument } from '../../actions/shared-arguments.js';
import type { Invocation } from './arguments.js';
import type { Option } from '../verb.js';
import { usageError } from './usage-error.js';

/** A server that is not configured: given for this run only, as a URL or as a command after `--`. */
export interface AdHoc {
  readonly name: string;
  /** Its entry, as `add` would write it. */
  readonly entry: Entry;
  /** The invocation with this server in place of all configured ones. Policies and the administrator's lock hold. */
  readonly invocation: Invocation;
}

/** The server that the command line gives as a URL or a command; undefined when it gives none. Throws `usage`. */
export function adHocServer(invocation: Invocation): AdHoc | undefined {
  const url = invocation.positionals.find(isUrl);
  if (invocation.command?.length === 0) {
    throw usageError('-- needs a command after it', {
      hint: `plugboard ${invocation.verb.name} ${invocation.verb.usage}`,
    });
  }
  const entry = toEntry(invocation, url);
  if (!entry) return undefined;
  if (invocation.command && url !== undefined) {
    throw usageError(`${invocation.verb.name} takes one server: ${url}, or the command after --`, {
      hint: `Leave one of them out, or write the URL as an argument: name=${url}`,
    });
  }
  const name = 'url' in entry ? hostOf(entry.url) : commandName([entry.command, ...entry.args]);
  const given = [`${name}=${JSON.stringify(entry)}`];
  return {
    name,
    entry: withoutEmpty(entry),
    invocation: {
      ...invocation,
      positionals: invocation.positionals.filter((word) => word !== url),
      has: (option) => option === 'strict-mcp-config' || invocation.has(option),
      values: (option) => (option === 'mcp-server' ? given : option === 'mcp-config' ? [] : invocation.values(option)),
    },
  };
}

function withoutEmpty(entry: AdHocEntry): Entry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => typeof value !== 'object' || Object.keys(value).length > 0),
  );
}

function toEntry(invocation: Invocation, url: string | undefined): AdHocEntry | undefined {
  if (invocation.command) {
    const [command = '', ...args] = invocation.command;
    return { type: 'stdio', command, args, env: toRecord(invocation.values('env'), 'env') };
  }
  return url === undefined
    ? undefined
    : { type: /^ws/iu.test(url) ? 'ws' : 'http', url, headers: toRecord(invocation.values('header'), 'header') };
}

type AdHocEntry =
  | { readonly type: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: object }
  | { readonly type: 'http' | 'ws'; readonly url: string; readonly headers: object };

/** Parses `K=V` or `Name: value`, as `add` does. Throws `usage`. */
function toRecord(words: readonly string[], option: 'env' | 'header'): Record<string, string> {
  const pattern = option === 'env' ? /^([^=]+)=([\s\S]*)$/u : /^([^:]+):\s*([\s\S]*)$/u;
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = pattern.exec(word) ?? [];
      if (name !== undefined && value !== undefined) return [name.trim(), value];
      throw usageError(`--${option} has the wrong form: ${shorten(word, 40)}`, {
        hint: option === 'env' ? 'Write --env NAME=VALUE' : "Write --header 'Name: value'",
      });
    }),
  );
}

export const adHocOptions: readonly Option[] = [
  {
    name: 'env',
    short: 'e',
    value: 'K=V',
    repeatable: true,
    summary: 'an environment variable for the command after --; yours are not passed on',
  },
  { name: 'header', short: 'H', value: "'K: v'", repeatable: true, summary: 'a header for the URL' },
  {
    name: 'persist',
    value: 'NAME',
    isValueOptional: true,
    summary: 'keep the URL or command as a server afterwards, if the command worked',
  },
  {
    name: 'scope',
    short: 's',
    value: scopeArgument.value,
    choices: scopeArgument.choices,
    synonyms: scopeArgument.synonyms,
    summary: 'with --persist: local (the default), project (.mcp.json) or user',
  },
];

export function isUrl(word: string): boolean {
  return /^(?:https?|wss?):\/\//iu.test(word);
}

function hostOf(url: string): string {
  return parseUrl(url) !== undefined ? toName(new URL(url).host) : 'server';
}

/** The name that people would use: that of the package or the script, not of the program that runs it. */
function commandName(argv: readonly string[]): string {
  const words = argv.filter((word) => !word.startsWith('-'));
  const first = basename(words[0] ?? '').replace(/\.(?:exe|cmd|bat)$/iu, '');
  const isRunner = RUNNERS.has(first);
  const second = isRunner
    ? words.slice(1).find((word) => !SUBCOMMANDS.has(word) && /^[\w@./:\\-]+$/u.test(word))
    : undefined;
  return toName(lastTelling((second ?? first).replace(/(?<=.)@[^/@]*$/u, '')));
}

/** The last part of a path that names something: `weather` of weather/dist/index.js. */
function lastTelling(path: string): string {
  const parts = path.split(/[/\\]/u).map((part) => part.replace(/\.[a-z]{1,4}$/iu, ''));
  return parts.findLast((part) => part !== '' && !DULL.has(part)) ?? parts.at(-1)!;
}

const DULL: ReadonlySet<string> = new Set(['index', 'main', 'dist', 'build', 'src', 'lib', 'bin', '.', '..']);

const RUNNERS: ReadonlySet<string> = new Set(
  'npx bunx pnpm yarn npm bun node deno tsx uvx uv pipx python python3 ruby docker sh bash env plugboard'.split(' '),
);
const SUBCOMMANDS: ReadonlySet<string> = new Set(['dlx', 'exec', 'run', 'x', 'tool', 'attack', 'replay']);

function toName(text: string): string {
  const name = text.replaceAll(/[^\w.:-]+/gu, '-').slice(0, 40) || 'server';
  return reservedNames.includes(name) ? `${name}-server` : name;
}
