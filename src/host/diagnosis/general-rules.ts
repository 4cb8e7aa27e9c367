import { dirname } from 'node:path';
import { isObject } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import type { Exit, ExitRule } from './exit-rule.js';

/** Error messages of programs of any kind: those of the system, of shells, and about missing variables. */
export const generalRules: readonly ExitRule[] = [
  {
    when: /(?:EADDRINUSE|[Aa]ddress already in use)[^\n]{0,80}?(?::|port )(\d{2,5})\b|EADDRINUSE|[Aa]ddress already in use/u,
    hint: ({ context }, [, port]) => {
      if (port === undefined)
        return 'Another program uses the port: end that program, or give the server another port in "args" or "env"';
      const who = context.platform === 'linux' ? `ss -ltnp 'sport = :${port}'` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
      return `Another program uses port ${port}: end that program, or give the server another port. See which: ${who}`;
    },
  },
  {
    when: /GLIBC_\d|cannot execute binary file|Exec format error|Bad CPU type in executable/u,
    hint: ({ launch }) =>
      `The program was built for another machine. Install the build for this one (uname -sm); see what it is: file ${shellWord(launch.shown[0]!)}`,
  },
  {
    when: /(?:EACCES|EPERM): \w[\w ]{0,40}, (?:\w{1,20} )?'(\/[^'\n]{1,300})'|PermissionError: [^\n]{0,60}: '(\/[^'\n]{1,300})'/u,
    hint: (_, [, a, b]) => `The server may not use that file. See its owner: ls -ld ${shellWord((a ?? b)!)}`,
  },
  {
    when: /connect ECONNREFUSED ([\w.:[\]-]{1,100}:\d{2,5})|[Cc]onnection refused[^\n]{0,60}?\b((?:localhost|[\d.]{7,15}):\d{2,5})/u,
    hint: (_, [, a, b]) =>
      `The server needs a service at ${a ?? b}, and nothing listens there: start that service first, or correct "args" or "env"`,
  },
  {
    when: /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]{1,200})/u,
    hint: (_, [, host]) =>
      `The server cannot find the host ${host}: correct "args" or "env"; check that it resolves: nslookup ${shellWord(host!)}`,
  },
  {
    when: /ENOENT: no such file or directory, (?:\w{1,20} )?'(\/[^'\n]{1,300})'|FileNotFoundError: [^\n]{0,60}: '(\/[^'\n]{1,300})'/u,
    hint: (_, [, a, b]) =>
      `The server does not find ${a ?? b}: correct "args", "env" or "cwd". See: ls ${shellWord(dirname((a ?? b)!))}`,
  },
  // A name in capitals in a line about the environment, or one with an underscore in a line about something missing.
  {
    when: /\b([A-Z][A-Z0-9_]{2,60})\b[^\n]{0,60}\benv(?:ironment)?\b|\benv(?:ironment)?\b[^\n]{0,60}?\b([A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60})\b|\b([A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60})\b[^\n]{0,30}\b(?:required|missing|not set|must be set|not provided|not defined|undefined|empty)\b|\b(?:[Mm]issing|MISSING|[Pp]lease (?:set|provide)|[Rr]equired)\b[^\n]{0,40}?\b([A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60})\b|KeyError: '([A-Z][A-Z0-9_]{2,60})'/u,
    hint: (exit, [, ...names]) =>
      variableHint(
        exit,
        names.find((name) => name !== undefined)!,
      ),
  },
  {
    when: /^usage:|unrecognized argument|arguments are required|[Mm]issing required (?:argument|option)|[Uu]nknown (?:option|argument|command)|required option/imu,
    hint: (exit) => `The server rejects its arguments: correct "args"${helpLine(exit)}`,
  },
];

/** A server gets few variables of this machine, so it may miss one that is set here. */
function variableHint({ server, context }: Exit, name: string): string | undefined {
  if (/^(?:ERROR|FATAL|WARN|WARNING|INFO|DEBUG|ENOENT|EACCES|URL|JSON|HTTP|HTTPS|API|MCP|CLI|SDK|TLS|SSL)$/u.test(name))
    return undefined;
  const env = server.written?.['env'];
  if (isObject(env) && Object.hasOwn(env, name))
    return `The server does not accept its variable ${name}: check "env" in its entry, and the value that is set`;
  const give = `"env": { "${name}": "\${${name}}" }`;
  const isSet = (context.env[name] ?? '') !== '';
  return isSet
    ? `Servers do not see your environment. To pass this variable to the server, write ${give}`
    : `The server needs the variable ${name}. Write ${give}, and set it: export ${name}=...`;
}

/** How to see the program's options. None for an interpreter that was given program text: its `--help` is its own. */
function helpLine({ launch, cwd }: Exit): string {
  const { shown, runs } = launch;
  if (!runs && INTERPRETERS.test(launch.program)) return ', as its output says';
  const words = runs ? shown.slice(0, runs.at + 1) : shown.slice(0, 1);
  const line = words.some((word) => /\$\{|•/u.test(word))
    ? `${launch.program} --help`
    : [...words.map(shellWord), '--help'].join(' ');
  const isRelative = runs?.kind === 'script' && !launch.argv[runs.at]!.startsWith('/');
  return `. See its options: ${isRelative ? `cd ${shellWord(cwd)} && ` : ''}${line}`;
}

const INTERPRETERS = /^(?:node|python[\d.]*|sh|bash|zsh|ruby|php|deno|bun)$/u;
