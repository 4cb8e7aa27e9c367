import { byName, programName } from '../approval/program-name.js';

/** The sources other than its registry that a package runner is told to use. */
export function packageRisks(words: readonly string[]): readonly string[] {
  const risks = new Set<string>();
  for (const [index, word] of words.entries()) {
    const program = programName(word);
    if (!PACKAGE_RUNNERS.has(program)) continue;
    for (const risk of risksOfRunner(program, words.slice(index + 1))) risks.add(risk);
    break; // later words belong to this runner, or to what it runs
  }
  return [...risks];
}

export const PACKAGE_RUNNERS = new Set([
  'npx',
  'npm',
  'pnpm',
  'pnpx',
  'yarn',
  'bun',
  'bunx',
  'uv',
  'uvx',
  'pipx',
  'pip',
  'poetry',
  'pdm',
  'deno',
  'cargo',
  'go',
  'dotnet',
  'nix',
]);
export const SUBCOMMANDS = new Set([
  'exec',
  'x',
  'run',
  'dlx',
  'tool',
  'create',
  'init',
  'install',
  'i',
  'add',
  'task',
  'serve',
  'shell',
  'develop',
  'build',
  'test',
  'start',
  'run-script',
  'restart',
  'ci',
]);
/** Options whose value is what is run, or its location. */
const SOURCE_OPTIONS =
  /^(?:-p|--package|--from|--with|--with-editable|--with-requirements|--spec|--directory|--project|--prefix|-C|--cwd|--dir|--chdir|--editable|-e|-r|--requirement|--manifest-path|--config|-c|--import-map|--path|--script|-s)$/u;
/** Options that say where packages, or settings with code, come from. */
const ORIGIN_OPTIONS =
  /^--(?:registry|@[\w-]+:registry|userconfig|globalconfig|script-shell|node-options|shell|index-url|extra-index-url|default-index|index|find-links|config-file|pip-args|trusted-host|allow-insecure-host|index-strategy|cache-dir|strict-ssl|use-yarnrc|source|option)$/u;
const VALUE_OPTIONS = /^(?:--[a-z][\w-]*|-[pCwrecs])$/u;
/** Options without a value. */
const SWITCHES =
  /^(?:--(?:yes|no|quiet|silent|verbose|offline|isolated|no-\w[\w-]*|prefer-\w+|ignore-\w[\w-]*|refresh|frozen|locked|quick|bun|smol|watch|hot|allow-[\w-]+|unstable[\w-]*|module|legacy-peer-deps|workspaces|if-present|force|global|upgrade|native-tls)|-[yqvgAm])$/u;

function risksOfRunner(program: string, words: readonly string[]): readonly string[] {
  const risks: string[] = [];
  let subcommand = '';
  for (const [index, word] of words.entries()) {
    const [option, ...rest] = word.split('=');
    const before = words[index - 1] ?? '';
    const isValue =
      index > 0 &&
      VALUE_OPTIONS.test(before) &&
      !SWITCHES.test(before) &&
      !(program === 'deno' && before.startsWith('--allow'));
    if (word.startsWith('-')) {
      if (ORIGIN_OPTIONS.test(option!)) risks.push(`${program} takes packages or settings from elsewhere (${option})`);
      if (program === 'deno' && /^(?:-[a-zA-Z]*A|--allow-all|--allow-run|--allow-ffi)$/u.test(option!))
        risks.push(`deno lets the program do whatever you may (${option})`);
      if (rest.length > 0 && SOURCE_OPTIONS.test(option!)) risks.push(...sourceRisks(program, rest.join('=')));
      else if (/^-[pC]./u.test(word) && !word.startsWith('--')) risks.push(...sourceRisks(program, word.slice(2)));
    } else if (isValue) {
      if (SOURCE_OPTIONS.test(before)) risks.push(...sourceRisks(program, word));
    } else if ((subcommand === '' || subcommand === 'tool') && SUBCOMMANDS.has(word)) {
      subcommand = word;
      risks.push(...scriptRisks(program, word));
    } else {
      risks.push(...sourceRisks(program, word), ...shorthandRisks(program, word));
      if (program === 'yarn' && subcommand === '') risks.push(...scriptRisks(program, 'run'));
      return risks;
    }
  }
  return risks;
}

function sourceRisks(program: string, source: string): readonly string[] {
  if (LOCAL.test(source)) return [`${program} runs ${source}, perhaps of this repository`];
  if (REMOTE.test(source)) return [`${program} runs what it loads from ${source}`];
  return [];
}

const LOCAL =
  /^(?:[\w@/.-]{0,214}@)?(?:(?:file|link|portal|workspace|path):.*|\.{1,2}(?:[/\\].*)?|~[/\\].*|[/\\].*|[A-Za-z]:[/\\].*|.*\.(?:tgz|tar\.gz|whl|zip|py|[cm]?[jt]sx?))$/su;
const REMOTE = /^(?:[\w@/.-]{0,214}@ ?)?(?:git\+|git:|github:|gitlab:|bitbucket:|gist:|https?:|ssh:|git@|ext::)/iu;

/** `npx user/repository` runs that repository from GitHub. */
function shorthandRisks(program: string, word: string): readonly string[] {
  const isNpm = /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun)$/u.test(program);
  return isNpm && /^[\w-]+\/[\w.-]+(?:#.*)?$/u.test(word)
    ? [`${program} runs what it loads from github.com/${word}`]
    : [];
}

const SCRIPT_FILES = byName([
  ['npm pnpm yarn bun', 'package.json'],
  ['deno', 'deno.json'],
  ['cargo', 'Cargo.toml'],
  ['dotnet', 'a project file'],
  ['nix', 'a flake.nix'],
]);

/** `npm start` and the like name no program. `deno run` and `nix run` take one, `npm exec` takes a package. */
function scriptRisks(program: string, subcommand: string): readonly string[] {
  const isScript = /^(?:run|run-script|start|test|restart|task|install|i|ci|develop|shell|build)$/u.test(subcommand);
  const isNamed = (program === 'deno' && subcommand !== 'task') || program === 'uv' || program === 'nix';
  const file = SCRIPT_FILES.get(program);
  return isScript && !isNamed && file !== undefined
    ? [`${program} runs what ${file} says, perhaps one of this repository`]
    : [];
}
