import { MASK } from '../../base/secret.js';
import { maskUrlParts } from './mask-url.js';
import { isSecretName, looksRandom, maskAll, maskTokens, maskValue } from './mask-value.js';

/** Masks the value after `--api-key` and `-p`, in `--token=x`, in `X-Api-Key: x`, and one that looks like a token. */
export function maskArguments(args: readonly unknown[], command?: unknown): unknown[] {
  const own = typeof command === 'string' ? ownOptions(command, args) : 0;
  let name = '';
  return args.map((argument, at) => {
    if (typeof argument !== 'string') return typeof argument === 'object' ? maskAll(argument) : argument;
    const before = name;
    const flag = /^(--?[A-Za-z0-9_-]+)(=)?/u.exec(argument);
    name = flag !== null && flag[0] === argument ? argument : '';
    // A key may begin with a dash; only `-x` or `--word` after a flag is another flag.
    if (before !== '' && !/^(?:-\w|--[a-z][\w-]*(?:=.*)?)$/su.test(argument)) {
      if (isSecretName(before)) return maskValue(argument);
      if (/^-[A-Za-z]$/u.test(before) && at >= own) return maskShort(before, argument);
    }
    const start = flag?.[2] === undefined ? '' : flag[0];
    if (start !== '' && isSecretName(start)) return start + maskValue(argument.slice(start.length));
    const slashed = SLASHED.exec(argument)?.[0];
    if (slashed !== undefined && isSecretName(slashed)) return slashed + maskValue(argument.slice(slashed.length));
    return GLUED_PASSWORD.test(argument) ? `-p${MASK}` : maskInline(argument);
  });
}

/** The secrets in arguments: what `maskArguments` removes. */
export function secretsInArguments(args: readonly string[], command: string): readonly string[] {
  const masked = maskArguments(args, command);
  return args.flatMap((argument, at) => {
    const [start = '', ...rest] = String(masked[at]).split(MASK);
    const end = rest.at(-1);
    // With several in one argument only the outer ends are known: all secrets are between them.
    return end === undefined ? [] : [argument.slice(start.length, argument.length - end.length)];
  });
}

/** How many arguments belong to the launcher, where `-p` means a package, a version or code to print. */
function ownOptions(command: string, args: readonly unknown[]): number {
  const program = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1).toLowerCase();
  if (!/^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|node|nodejs|uv|uvx|pipx|cargo|deno|python[\d.]*)(?:\.\w+)?$/u.test(program))
    return 0;
  const subcommand = /^(?:npm|pnpm|yarn|bun|uv|pipx|cargo|deno)\b/u.test(program)
    ? /^(?:exec|x|run|tool|dlx)$/u
    : undefined;
  const behind = args.findIndex((argument, at) => {
    const isValue = at > 0 && /^(?:-[pcwe]|--(?:package|call|workspace|from|with|python))$/u.test(String(args[at - 1]));
    return !isValue && !String(argument).startsWith('-') && subcommand?.test(String(argument)) !== true;
  });
  return behind === -1 ? args.length : behind;
}

/** `-p x` is a password in many programs, `-u name:x` in some, and any other letter may mean a key. */
function maskShort(flag: string, value: string): string {
  if (/^-[uU]$/u.test(flag)) return maskUser(value);
  if (flag === '-p' || flag === '-P') return ORDINARY.test(value) ? maskInline(value) : maskValue(value);
  if (flag === '-k') return maskWord(flag, value);
  return looksRandom(value) && !/[/\\.]/u.test(value) ? maskValue(value) : maskInline(value);
}

/** Ports and port mappings, versions, paths, addresses, scoped packages, and interpreters. */
const ORDINARY =
  /^(?:(?:[\w.[\]*-]+:)?\d{1,5}(?:-\d+)?(?::\d{1,5}(?:-\d+)?)?(?:\/\w+)?|v?\d[\d.]*|\.{1,2}|(?:\.{0,2}|~)[/\\].*|[A-Za-z]:[/\\].*|[a-z][a-z0-9+.-]*:\/\/.*|@[\w-]+\/.*|(?:python|pypy)[\d.]*)$/su;
/** `/token:x`, as Windows programs write it. */
const SLASHED = /^\/[A-Za-z][\w-]{0,63}[:=](?=.)/su;
const GLUED_PASSWORD = /^-p(?=[^=]{5,}$)(?=.*[A-Za-z])(?=.*[\d!$%^&*?#])[^\s/\\:]+$/u;

/** Two numbers are a user id and a group id. */
function maskUser(value: string): string {
  const colon = value.indexOf(':');
  return colon === -1 || /^\d+:\d+$/u.test(value)
    ? maskInline(value)
    : value.slice(0, colon + 1) + maskValue(value.slice(colon + 1));
}

/** Masks secrets anywhere in a text: a shell command, JSON, a header, a URL among other words. */
export function maskInline(text: string): string {
  // Each pattern below needs one of these characters; most arguments have none, and compiling the patterns takes 4 ms.
  if (!/[:=\s]/u.test(text)) return maskTokens(text);
  const pairs = text
    .replaceAll(/(?<![\w+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/giu, maskUrlParts)
    .replaceAll(/(["'])([^"'\\]*)\1(\s*:\s*)(["'])((?:\\.|(?!\4)[^\\])*)\4/gsu, (whole, quote, name, colon, _, value) =>
      isSecretName(name) ? `${quote}${name}${quote}${colon}${quote}${maskValue(value)}${quote}` : whole,
    )
    .replaceAll(/\\"([^"\\]*)\\"(\s*:\s*)\\"([^"\\]*)\\"/gu, (whole, name, colon, value) =>
      isSecretName(name) ? `\\"${name}\\"${colon}\\"${maskValue(value)}\\"` : whole,
    )
    .replaceAll(
      /(?<![\w-])((?:--?[\w-]{1,64}=)?)([\w-]{1,64})=("[^"]*"|'[^']*'|[^\s"'&;]+)/gu,
      (whole, flag, name, value) => (isSecretName(name) ? `${flag}${name}=${maskValue(value)}` : whole),
    )
    .replaceAll(/(?<![\w-])(--[\w-]{1,64})(\s+)([^\s"'-][^\s"']*)/gu, (whole, name, blank, value) =>
      isSecretName(name) ? name + blank + maskValue(value) : whole,
    )
    .replaceAll(
      /(?<![\w-])(-[pu])(\s+["']?)([^\s"'-][^\s"']*)/gu,
      (_, flag, blank, value) => flag + blank + maskWord(flag, value),
    )
    .replaceAll(/(?<![\w-])([A-Za-z][\w-]{0,64})(:\s+)([^"']+)/gu, (whole, name, colon, value) =>
      isSecretName(name) ? name + colon + maskValue(value) : whole,
    )
    .replace(
      /^((?:--?[\w-]+=)?(?:[\w-]*authorization|x-[\w-]+|(?:set-)?cookie|[\w-]*(?:key|token|secret)):\s*)(\S.*)$/isu,
      (_, name, value) => name + maskValue(value),
    );
  return maskTokens(pairs);
}

/** In a command line the option's program is unknown, so a plain word does not count as a password. */
function maskWord(flag: string, value: string): string {
  if (flag === '-u') return maskUser(value);
  return ORDINARY.test(value) || /^[a-z][a-z_.-]*$/u.test(value) ? value : maskValue(value);
}
