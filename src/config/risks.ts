import { hasMixedScript } from '../model/mixed-script.js';
import { gateLine } from '../model/text-gate.js';
import { isObject } from '../base/json.js';
import type { RawEntry } from '../transports/kind.js';

/** Programs that run one of their arguments as code, and the arguments that say so. */
const interpreters: Readonly<Record<string, RegExp>> = {
  sh: /^-[a-z]*c[a-z]*$/u,
  bash: /^-[a-z]*c[a-z]*$/u,
  zsh: /^-[a-z]*c[a-z]*$/u,
  dash: /^-[a-z]*c[a-z]*$/u,
  ksh: /^-[a-z]*c[a-z]*$/u,
  fish: /^(-[a-z]*c|--command|-C|--init-command)/u,
  node: /^(-e|-p|-pe|--eval|--print|-r|--require|--import|--loader|--experimental-loader)/u,
  nodejs: /^(-e|-p|-pe|--eval|--print|-r|--require|--import|--loader|--experimental-loader)/u,
  tsx: /^(-e|-p|--eval|--print|-r|--require|--import)/u,
  bun: /^(-e|-p|--eval|--print|-r|--preload)/u,
  deno: /^eval$/u,
  npx: /^(-c|--call)/u,
  npm: /^(-c|--call)/u,
  python: /^-[a-zA-Z]*c/u,
  perl: /^-[a-zA-Z]*[eE]/u,
  ruby: /^-[a-zA-Z]*e/u,
  php: /^-r/u,
  lua: /^-e/u,
  osascript: /^-e/u,
  cmd: /^\/[ck]/iu,
  powershell: /^[-/](c|co\w*|e|ec|en\w*)$/iu,
  pwsh: /^[-/](c|co\w*|e|ec|en\w*)$/iu,
};

/** Variables that make a program load code of someone's choice. Windows, and npm, do not look at their case. */
const loaders =
  /^(LD_\w+|DYLD_\w+|GCONV_PATH|NODE_OPTIONS|NODE_PATH|PYTHON(PATH|STARTUP|HOME|USERBASE|INSPECT|WARNINGS|BREAKPOINT)|PERL5(LIB|OPT|DB)|RUBY(OPT|LIB)|PATH|PATHEXT|COMSPEC|BASH_ENV|BASH_FUNC_.+|ENV|ZDOTDIR|SHELLOPTS|PS4|PROMPT_COMMAND|GIT_(SSH|SSH_COMMAND|EXEC_PATH|PROXY_COMMAND|EXTERNAL_DIFF|ASKPASS|EDITOR|PAGER|CONFIG\w*)|(JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|(npm|yarn|bun)_config_\w+|(PIP|UV)_\w*INDEX\w*)$/iu;

/** What someone should know before they let an entry of a repository run: a sentence each. `files`: its arguments that are files. */
export function risksOf(entry: RawEntry, files: readonly string[] = []): readonly string[] {
  const risks: string[] = [];
  const { command, args, env, url, headersHelper } = entry;
  const argv = [command, ...(Array.isArray(args) ? args : [])].filter((part) => typeof part === 'string');
  const code = interpreterIn(argv);
  if (code !== undefined) risks.push(`${code} runs its argument as code`);
  // Whoever hears that an argument is code need not hear that it is a file.
  if (startsByPath(code === undefined ? argv : argv.slice(0, 1), code === undefined ? files : [])) {
    risks.push('it starts a program by its path, perhaps one of this repository');
  }
  for (const name of isObject(env) ? Object.keys(env) : []) {
    if (loaders.test(name)) risks.push(`env.${name} can make the program load other code`);
  }
  if (headersHelper !== undefined) risks.push('headersHelper runs a shell command at every connect');
  if (entry['inheritEnv'] === true) risks.push('it gets all of your environment, secrets included');
  else if (Array.isArray(entry['inheritEnv']))
    risks.push(`it gets ${entry['inheritEnv'].join(', ')} of your environment`);
  risks.push(...signInRisks(entry));
  const texts = textsOf(entry);
  if (texts.some((text) => HIDDEN.test(text) || gateLine(text).findings.length > 0))
    risks.push('it holds characters that do not show');
  if (texts.some((text) => /\s{20}/u.test(text)))
    risks.push('it holds a long run of blanks, behind which more may stand');
  if ([...argv, url].some((part) => typeof part === 'string' && hasMixedScript(part))) {
    risks.push('it mixes letters of several alphabets that look alike');
  }
  return risks;
}

/** `./x.sh`, and the same by way of an interpreter: `node ./x.mjs`, `python x.py` where there is such a file. */
function startsByPath([command = '', ...args]: readonly string[], files: readonly string[]): boolean {
  const values = args.map((word) => word.slice(word.indexOf('=') + 1));
  return isByPath(command) || [...values.filter(isByPath), ...files].some((word) => SCRIPT.test(word));
}

function isByPath(word: string): boolean {
  return /[/\\]/u.test(word);
}

const SCRIPT = /^(?!\w+:\/\/).*\.(?:[cm]?[jt]sx?|pyw?|rb|pl|lua|php|sh|bash|zsh|fish|ps1|bat|cmd|jar|wasm|exe)$/iu;

/** What an entry says about signing in that only the user should: whose word is taken, and which of their files are used. */
function signInRisks(entry: RawEntry): readonly string[] {
  const oauth = isObject(entry['oauth']) ? entry['oauth'] : {};
  const risks: string[] = [];
  const { assertion, privateKey } = oauth;
  if (typeof assertion === 'string' && !WEB_TOKEN.test(assertion))
    risks.push(`it sends the content of ${assertion} to whoever it signs in at`);
  if (typeof privateKey === 'string' && !privateKey.includes('-----BEGIN'))
    risks.push(`it signs with the key in ${privateKey}, in your name`);
  if (oauth['authServerMetadataUrl'] !== undefined) risks.push('it names where you sign in, instead of the server');
  if (oauth['allowIssuerMismatch'] === true) risks.push('it lets one authorization server speak for another');
  if (oauth['allowMissingPkce'] === true) risks.push('it signs in without the protection of its codes (PKCE)');
  if (entry['xaa'] === true || oauth['xaa'] === true)
    risks.push('your identity provider is asked to vouch for you there');
  return risks;
}

const WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/u;

/** Blanks that are not the one on the keyboard, and letters without a shape: a text gate has no quarrel with them. */
const HIDDEN = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164]/u;

/** Every text of an entry, names of fields included. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]) : [];
}

/** The program that is given code to run: the command, or one that it starts, as in `env sh -c`. */
function interpreterIn(argv: readonly string[]): string | undefined {
  // `env -S "sh -c ..."` holds a whole command line in one word.
  const words = argv
    .slice(0, WORDS_LIMIT)
    .flatMap((word) => (/^-\w*S|^--split-string/u.test(argv[1] ?? '') ? word.split(/[\s'"]+/u) : [word]));
  for (const [index, word] of words.entries()) {
    const file = word.split(/[/\\]/u).at(-1)!;
    const program = file
      .replace(/\.(exe|cmd|bat)$/iu, '')
      .replace(/[\d.]+$/u, '')
      .toLowerCase();
    const isCode = Object.hasOwn(interpreters, program) ? interpreters[program] : undefined;
    if (isCode && words.slice(index + 1).some((argument) => isCode.test(argument))) return program;
  }
  return undefined;
}

const WORDS_LIMIT = 100; // what starts an interpreter stands at the beginning
