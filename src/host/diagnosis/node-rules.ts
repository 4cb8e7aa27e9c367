import { dirname, extname } from 'node:path';
import { shellWord } from '../../base/shell-word.js';
import { argsText, type Exit, type ExitRule, pastable, scriptOf } from './exit-rule.js';
import { mentions, packageRootOf } from './package-root.js';

/** Error messages of node when it cannot run a script. */
export const nodeRules: readonly ExitRule[] = [
  {
    when: /\/_npx\/[0-9a-f]{8,}\//u,
    hint: (exit) =>
      /ERR_MODULE_NOT_FOUND|Cannot find (?:module|package)|NODE_MODULE_VERSION/u.test(exit.said) ? DAMAGED : undefined,
  },
  { when: /NODE_MODULE_VERSION|ERR_DLOPEN_FAILED/u, hint: rebuild },
  {
    when: /bad option: (--[\w-]{1,60})/u,
    hint: (exit, [, flag]) =>
      exit.launch.argv.includes(flag!)
        ? `Take ${flag} out of "args", or install a Node.js that knows it: ${newerNode(exit)}`
        : undefined,
  },
  {
    when: /Cannot use import statement outside a module|Unexpected token 'export'/u,
    hint: (exit) => typescript(exit) ?? renamed(exit, '.mjs'),
  },
  {
    when: /(?:require|module|exports|__dirname) is not defined in ES module scope/u,
    hint: (exit) => renamed(exit, '.cjs'),
  },
  { when: /ERR_UNKNOWN_FILE_EXTENSION|^SyntaxError(?: \[\w{1,60}\])?: /mu, hint: typescript },
  {
    when: /No such built-in module: node:|The requested module 'node:[\w/]+' does not provide an export|ERR_REQUIRE_ESM/u,
    hint: oldNode,
  },
  {
    when: /ReferenceError: (?:File|Blob|fetch|Headers|Request|Response|FormData|ReadableStream|structuredClone|WebSocket|CustomEvent|navigator|Iterator|crypto) is not defined/u,
    hint: oldNode,
  },
  {
    when: /TypeError: \S{1,80}\.(?:toSorted|toReversed|toSpliced|findLast|groupBy|withResolvers|fromAsync|hasOwn|replaceAll|isWellFormed|glob) is not a function/u,
    hint: oldNode,
  },
  {
    when: /Unsupported engine|EBADENGINE|\b(?:requires?|needs?) (?:at least )?Node(?:\.js)? ?(?:version )?[v>=\s]{0,4}\d{2}|Node\.js version \S{1,20} is (?:not supported|too old)/iu,
    hint: oldNode,
  },
  {
    when: /^SyntaxError(?: \[\w{1,60}\])?: /mu,
    hint: (exit) =>
      /^Node\.js v/mu.test(exit.said) && /\/node_modules\//u.test(exit.said) ? oldNode(exit) : syntax(exit),
  },
  { when: /Cannot find (?:module|package) '([^'\n]{1,200})'/u, hint: missingModule },
  {
    when: /JavaScript heap out of memory/u,
    hint: () => 'Give the server more memory: "env": { "NODE_OPTIONS": "--max-old-space-size=4096" }',
  },
];

const DAMAGED = 'The npx cache is incomplete. Clear it to download again: rm -rf "$(npm config get cache)/_npx"';

function oldNode(exit: Exit): string {
  const version = /^Node\.js (v\d{1,3}\.\d{1,3}\.\d{1,3})/mu.exec(exit.said)?.[1];
  return `The server needs a newer Node.js${version === undefined ? '' : ` than ${version}`}. Install one: ${newerNode(exit)}`;
}

/** How to install a newer Node.js with the version manager of this machine. */
function newerNode({ context: { env } }: Exit): string {
  const path = '; or write the full path of another one into "command"';
  if (env['NVM_DIR'] !== undefined) return `nvm install --lts${path}`;
  if (env['FNM_DIR'] !== undefined) return `fnm install --lts${path}`;
  if (env['VOLTA_HOME'] !== undefined) return `volta install node${path}`;
  return `https://nodejs.org${path}`;
}

function rebuild(exit: Exit): string | undefined {
  const root = rootOf(exit);
  return root === undefined
    ? 'A part of the server was built for another Node.js: reinstall the server'
    : `A part of the server was built for another Node.js: cd ${root} && npm rebuild`;
}

/** The folder of the script's package, quoted for a shell. */
function rootOf(exit: Exit): string | undefined {
  const script = scriptOf(exit);
  if (script === undefined || pastable(script.word, script.path) === undefined) return undefined;
  return shellWord(packageRootOf(script.path)?.folder ?? dirname(script.path));
}

function renamed(exit: Exit, suffix: '.mjs' | '.cjs'): string | undefined {
  const script = scriptOf(exit);
  const path = script && pastable(script.word, script.path);
  if (script === undefined || path === undefined) return undefined;
  const to = script.path.slice(0, script.path.length - extname(script.path).length) + suffix;
  const kind = suffix === '.mjs' ? 'an ES module' : 'a CommonJS module';
  return `The script is ${kind}, but its name says otherwise: mv ${path} ${shellWord(to)}, and correct "args"`;
}

function typescript(exit: Exit): string | undefined {
  const script = scriptOf(exit);
  if (script === undefined || !/^\.[cm]?tsx?$/u.test(extname(script.path)) || exit.launch.program !== 'node')
    return undefined;
  return `The script is TypeScript. Write "command": "npx", ${argsText(['-y', 'tsx', ...exit.launch.shown.slice(1)])}`;
}

function syntax(exit: Exit): string | undefined {
  const script = scriptOf(exit);
  const path = script && pastable(script.word, script.path);
  if (path === undefined || !exit.launch.program.startsWith('node')) return undefined;
  return `Mend the script; or, if it is written for a newer Node.js, install one. See: node --check ${path}`;
}

/** A missing file of the server's own needs a build, a missing package an installation. */
function missingModule(exit: Exit, [, name = '']: RegExpExecArray): string | undefined {
  const script = scriptOf(exit);
  if (script === undefined) return undefined;
  const root = packageRootOf(script.path);
  const folder = rootOf(exit);
  if (folder === undefined) return 'Install the packages of the server, in its own folder: npm install';
  if (/^[./]|^file:/u.test(name)) {
    return root?.canBuild === true
      ? `Build the server: cd ${folder} && npm install && npm run build`
      : `A file of the server is missing. Reinstall it: cd ${folder} && npm install`;
  }
  const wanted = PACKAGE.exec(name)?.[1];
  const isUnlisted = wanted !== undefined && root?.lists(wanted) !== true && mentions(script.path, wanted);
  return `Install the packages it needs: cd ${folder} && npm install${isUnlisted ? ` ${shellWord(wanted)}` : ''}`;
}

/** A package name, optionally followed by a path inside the package. */
const PACKAGE = /^((?:@[a-z0-9][\w.-]{0,60}\/)?[a-z0-9][\w.-]{0,100})(?:\/[\w./-]{0,100})?$/u;
