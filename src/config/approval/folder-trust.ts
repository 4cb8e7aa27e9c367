import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { realPath } from '../../edge/directories.js';
import { type FolderReach, leadsInto } from '../../edge/files/folder-reach.js';
import type { ConfigContext } from '../context.js';
import type { ScopeReader, ConfigSource } from '../scope.js';
import type { Problem } from '../problem.js';

/** The user's decision whether servers of their own may start in a folder. */
export interface TrustDecision {
  readonly folder: string;
  readonly decision: 'trusted' | 'untrusted';
  readonly at: string;
}

/** Whether the user's own servers, hooks and helpers start in the working directory. */
export type FolderTrust = {
  /** The folder that the user is asked about and that `plugboard trust` would take: a real path. */
  readonly folder: string;
} & (
  | { readonly kind: 'trusted'; readonly by: string }
  | { readonly kind: 'untrusted'; readonly by: string }
  | { readonly kind: 'undecided' }
);

export const TRUST_LIMIT = 4_000_000; // bytes: some 20,000 folders

/** Kept in the user's state folder; files of a repository are never read for it. */
export function trustFile({ places }: Pick<ConfigContext, 'places'>): string | undefined {
  return places.state === undefined ? undefined : join(places.state, 'trusted-folders.json');
}

/**
 * The folder that trust is about: the real path of the git root; the working directory if there is none, or if the root
 * is `isWide` or writable by others. A `.git` file only has to exist: what it points to brings no trust.
 */
export function folderToTrust({ cwd, projectRoot, places }: ConfigContext): string {
  return isWide(projectRoot, places.home) || isOthers(projectRoot) ? cwd : projectRoot;
}

/** Whether others can write to a folder: they could turn it into a repository that holds everyone's folders. */
function isOthers(folder: string): boolean {
  try {
    const { uid, mode } = statSync(folder);
    const self = process.getuid?.();
    return self !== undefined && ((uid !== self && uid !== 0) || (mode & 0o002) !== 0);
  } catch {
    return false; // the folder does not exist: nothing starts in it
  }
}

/** The root, the home folder and its parents: trust in one of these covers nothing below it. */
export function isWide(folder: string, home: string | undefined): boolean {
  if (dirname(folder) === folder) return true;
  return home !== undefined && [home, realPath(home)].some((one) => one === folder || one.startsWith(`${folder}/`));
}

/** The decision nearest to the working directory applies: to its folder, and to all below unless that is wide. */
export function decideTrust(context: ConfigContext, decisions: readonly TrustDecision[]): FolderTrust {
  const folder = folderToTrust(context);
  if (context.options.trustFolder === true) return { folder, kind: 'trusted', by: '--trust-folder' };
  const known = new Map(decisions.map((one) => [one.folder, one.decision]));
  for (let at = context.cwd; ; at = dirname(at)) {
    const isMeant = at === context.cwd || at === folder || !isWide(at, context.places.home);
    const decision = isMeant ? known.get(at) : undefined;
    if (decision !== undefined) return { folder, kind: decision, by: at };
    if (dirname(at) === at) return { folder, kind: 'undecided' };
  }
}

/** Reads the decisions; an unreadable file trusts nothing. */
export async function readTrust(
  context: ConfigContext,
  read: ScopeReader['read'],
  problems: Problem[],
): Promise<FolderTrust> {
  const file = trustFile(context);
  const reading = file === undefined ? undefined : await read(file, { limit: TRUST_LIMIT });
  if (reading?.kind === 'broken') {
    const hint = `No folder counts as trusted until you fix or remove ${file}`;
    problems.push({ ...reading.problem, code: 'approvals', hint });
  }
  const decisions = reading?.kind === 'document' ? parseDecisions(reading.document.value) : [];
  const folder = folderToTrust(context);
  if (
    decisions.length > 0 &&
    leadsInto(file!, { ...NO_LEVELS, paths: [folder], isWide: isWide(folder, context.places.home) })
  ) {
    const message = `lies in ${folder}, so that folder could trust itself: no folder counts as trusted`;
    problems.push({
      severity: 'warning',
      code: 'approvals',
      file: file!,
      message,
      hint: 'Set XDG_STATE_HOME to a folder outside it',
    });
    return decideTrust(context, []);
  }
  return decideTrust(context, decisions);
}

const NO_LEVELS = { settingsFolders: [] };

export function parseDecisions(value: unknown): readonly TrustDecision[] {
  const folders = isObject(value) ? value['folders'] : undefined;
  if (!isObject(folders)) return [];
  return Object.entries(folders).flatMap(([folder, said]): readonly TrustDecision[] => {
    const { decision, at } = isObject(said) ? said : {};
    if (decision !== 'trusted' && decision !== 'untrusted') return [];
    return [{ folder, decision, at: typeof at === 'string' ? at : '' }];
  });
}

/** Whether servers of this source need trust in the folder: those not written for, nor approved in, this project. */
export function asksForTrust(
  { scope, author }: Pick<ConfigSource, 'scope' | 'author'>,
  context: ConfigContext,
): boolean {
  const { options, projectRoot, cwd, places } = context;
  switch (scope) {
    case 'enterprise':
    case 'user':
    case 'linked':
    case 'plugin':
    case 'connectors':
      // A linked file inside a repository needs an approval in this project instead.
      return author !== 'repository';
    case 'dynamic':
      return options.isForEveryFolder === true;
    case 'local':
    case 'project':
      // With the home folder under git, every folder below would belong to one project.
      return projectRoot !== cwd && isWide(projectRoot, places.home);
    default:
      return unreachable(scope);
  }
}

/** The paths that lead into the folder, in every spelling. */
export function reachOf(context: ConfigContext, { folder }: FolderTrust): FolderReach {
  const { cwd, places, ancestors, options, env } = context;
  const given = [options.cwd, env['PWD'], env['INIT_CWD']].filter((path) => path !== undefined && path !== cwd);
  // The spellings by which the user reached the folder (symbolic links), and the project root in each of them.
  const spelled = given.filter((path) => realPath(path!) === cwd).map((path) => rootAs(path!, cwd, folder));
  return {
    paths: [...new Set([folder, ...spelled.filter((path) => path !== undefined)])],
    isWide: isWide(folder, places.home),
    settingsFolders: ancestors.filter((level) => level === cwd || level === folder || !isWide(level, places.home)),
  };
}

function rootAs(path: string, cwd: string, folder: string): string | undefined {
  const below = cwd === folder ? '' : cwd.slice(folder.length);
  return path.endsWith(below) && path.length > below.length ? path.slice(0, path.length - below.length) : undefined;
}
