import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { digestFile } from '../../edge/files/file-digest.js';
import { isExecutable, realPathOf } from '../../edge/files/folders.js';
import { PIN_START } from '../../model/pins/pinned-text.js';
import { serverTargetOf } from '../../transports/kinds.js';
import type { ConfigContext } from '../context.js';
import { fileFinder } from './meant-files.js';
import type { ConfiguredServer } from '../entries/server.js';

/**
 * The programs inside the repository that a server's command line names, by their paths from the root: `./run.sh`, or
 * `server.mjs` in `node server.mjs`. Leaves out node_modules, which has versions, and data files. Never throws.
 */
export function programsInside(
  { config }: Pick<ConfiguredServer, 'config'>,
  { cwd, projectRoot }: Pick<ConfigContext, 'cwd' | 'projectRoot'>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const target = config && serverTargetOf(config);
  const root = realPathOf(projectRoot);
  if (target?.kind !== 'command' || root === undefined) return found;
  const [command = '', ...args] = target.argv;
  const folder = resolve(cwd, target.cwd ?? '.');
  const meaningsOf = fileFinder(target.argv);
  const paths = [
    ...(/[\\/]/u.test(command) ? [resolve(folder, command)] : []),
    ...args
      .slice(0, ARGUMENTS_LIMIT)
      .flatMap((text) => meaningsOf(text.slice(0, TEXT_LIMIT)).slice(0, WORDS_LIMIT))
      .flatMap(({ findFrom }) => findFrom(folder) ?? []),
  ];
  for (const path of paths) {
    const real = realPathOf(path);
    const way = real === undefined ? '' : relative(root, real);
    if (found.size >= FILES_LIMIT) break;
    if (real !== undefined && isBelow(way) && isProgram(real)) found.set(way.split(sep).join('/'), real);
  }
  return found;
}

/**
 * The hash of each of these programs, as `mcp.lock` stores it; none for a file that is too large or unreadable.
 * Undefined for scopes whose lock holds in every project: the files of one project are not in the next.
 */
export function programPins(
  server: Pick<ConfiguredServer, 'config' | 'scope'>,
  context: Pick<ConfigContext, 'cwd' | 'projectRoot'>,
): ReadonlyMap<string, string> | undefined {
  if (server.scope !== 'project' && server.scope !== 'local') return undefined;
  return new Map(
    [...programsInside(server, context)].flatMap(([way, path]) => {
      const hash = digestFile(path, SIZE_LIMIT);
      return hash === undefined ? [] : [[way, `${PIN_START}${hash}`] as const];
    }),
  );
}

const ARGUMENTS_LIMIT = 100;
const TEXT_LIMIT = 4_096;
const WORDS_LIMIT = 50;
const FILES_LIMIT = 20; // an entry names one or two
const SIZE_LIMIT = 16_777_216; // bytes, hashed in some 20 ms; a script has some thousands

function isBelow(way: string): boolean {
  return way !== '' && !isAbsolute(way) && !way.split(sep).some((part) => part === '..' || part === 'node_modules');
}

function isProgram(path: string): boolean {
  return ENDINGS.has(extname(path).toLowerCase()) || basename(path) === 'package.json' || isExecutable(path);
}

const ENDINGS: ReadonlySet<string> = new Set(
  'js mjs cjs jsx ts mts cts tsx py pyw rb pl lua php sh bash zsh fish ps1 bat cmd jar wasm exe dll so node'
    .split(' ')
    .map((ending) => `.${ending}`),
);
