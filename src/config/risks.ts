import { gateLine } from '../model/text-gate.js';
import { isObject } from '../transports/fields.js';
import type { RawEntry } from '../transports/kind.js';

/** Programs that run one of their arguments as code, and the arguments that say so. */
const interpreters: Readonly<Record<string, RegExp>> = {
  sh: /^-[a-z]*c$/u,
  bash: /^-[a-z]*c$/u,
  zsh: /^-[a-z]*c$/u,
  dash: /^-[a-z]*c$/u,
  fish: /^(-c|--command)$/u,
  node: /^(-e|-p|-pe|--eval|--print)/u,
  bun: /^(-e|--eval)/u,
  deno: /^eval$/u,
  npx: /^(-c|--call)/u,
  npm: /^(-c|--call)/u,
  python: /^-c/u,
  python3: /^-c/u,
  perl: /^-[a-zA-Z]*[eE]/u,
  ruby: /^-e/u,
  php: /^-r/u,
  cmd: /^\/c/iu,
  powershell: /^-(c|command|e|enc|encodedcommand)$/iu,
  pwsh: /^-(c|command|e|enc|encodedcommand)$/iu,
};

/** Variables that make a program load code of someone's choice. */
const loaders =
  /^(LD_(PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON(PATH|STARTUP|HOME)|PERL5(LIB|OPT)|RUBY(OPT|LIB)|PATH|BASH_ENV|ENV|PROMPT_COMMAND|GIT_(SSH|SSH_COMMAND|EXEC_PATH|PROXY_COMMAND)|JAVA_TOOL_OPTIONS|CLASSPATH|npm_config_\w+)$/u;

/** What someone should know before they let an entry of a repository run: a sentence each. */
export function risksOf(entry: RawEntry): readonly string[] {
  const risks: string[] = [];
  const { command, args, env, headersHelper } = entry;
  const argv = [command, ...(Array.isArray(args) ? args : [])].filter((part) => typeof part === 'string');
  if (typeof command === 'string') {
    const program = command
      .split(/[/\\]/u)
      .at(-1)!
      .replace(/\.(exe|cmd)$/iu, '')
      .toLowerCase();
    const isCode = Object.hasOwn(interpreters, program) ? interpreters[program] : undefined;
    if (isCode && argv.slice(1).some((argument) => isCode.test(argument)))
      risks.push(`${program} runs its argument as code`);
    if (/[/\\]/u.test(command)) risks.push('it starts a program by its path, perhaps one of this repository');
  }
  for (const name of isObject(env) ? Object.keys(env) : []) {
    if (loaders.test(name)) risks.push(`env.${name} can make the program load other code`);
  }
  if (headersHelper !== undefined) risks.push('headersHelper runs a shell command at every connect');
  if (argv.some((part) => gateLine(part).findings.length > 0)) risks.push('it holds characters that do not show');
  return risks;
}
