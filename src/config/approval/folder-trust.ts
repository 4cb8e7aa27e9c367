import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { realPath } from '../../edge/directories.js';
import { type FolderReach, leadsInto } from '../../edge/files/folder-reach.js';
import type { ConfigContext } from '../context.js';
import type { ScopeReader, ConfigSource } from '../scope.js';
import type { Problem } from '../problem.js';

/** What the user once said about a folder: whether servers of their own may start in it. */
export interface TrustDecision {
  readonly folder: string;
  readonly decision: 'trusted' | 'untrusted';
  readonly at: string;
}

/** Whether the user's own servers, hooks and helpers start in the working directory. */
export type FolderTrust = {
  /** What is asked about, and what `plugboard trust` would name: a real path. */
  readonly folder: string;
} & (
  | { readonly kind: 'trusted'; readonly by: string }
  | { readonly kind: 'untrusted'; readonly by: string }
  | { readonly kind: 'undecided' }
);

export const TRUST_LIMIT = 4_000_000; // bytes: some 20,000 folders

/** Kept with the user's state: no file of a repository is ever asked. */
export function trustFile({ places }: Pick<ConfigContext, 'places'>): string | undefined {
  return places.state === undefined ? undefined : join(places.state, 'trusted-folders.json');
}

/**
 * The folder that trust is about: the git root by its real path; the working directory itself where there is none, or where that is the
 * home folder or the root, which nobody means as a whole. A `.git` file is looked at only for being there: what it points to brings no trust.
 */
export function folderToTrust({ cwd, projectRoot, places }: ConfigContext): string {
  return isWide(projectRoot, places.home) || isOthers(projectRoot) ? cwd : projectRoot;
}

/** Whoever may write into a folder above can make it look like a repository, with everybody's folders below. */
function isOthers(folder: string): boolean {
  try {
    const { uid, mode } = statSync(folder);
    const self = process.getuid?.();
    return self !== undefined && ((uid !== self && uid !== 0) || (mode & 0o002) !== 0);
  } catch {
    return false; // it is not there: nothing starts in it
  }
}

/** The root, the home folder, and what holds it: trust in one of these is about nothing below it. */
export function isWide(folder: string, home: string | undefined): boolean {
  if (dirname(folder) === folder) return true;
  return home !== undefined && [home, realPath(home)].some((one) => one === folder || one.startsWith(`${folder}/`));
}

/** The decision nearest to the working directory holds: for its folder, and for all below unless the folder is a wide one. */
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

/** Reads what was decided; a file that cannot be read trusts nothing. */
export async function readTrust(
  context: ConfigContext,
  read: ScopeReader['read'],
  problems: Problem[],
): Promise<FolderTrust> {
  const file = trustFile(context);
  const reading = file === undefined ? undefined : await read(file, { limit: TRUST_LIMIT });
  if (reading?.kind === 'broken') {
    const hint = `No folder counts as trusted; mend ${file} or remove it`;
    problems.push({ ...reading.problem, code: 'approvals', hint });
  }
  const decisions = reading?.kind === 'document' ? parseDecisions(reading.document.value) : [];
  const folder = folderToTrust(context);
  if (
    decisions.length > 0 &&
    leadsInto(file!, { ...NO_LEVELS, paths: [folder], isWide: isWide(folder, context.places.home) })
  ) {
    const message = `lies in ${folder}, which would so decide about itself: no folder counts as trusted`;
    problems.push({
      severity: 'warning',
      code: 'approvals',
      file: file!,
      message,
      hint: 'Set XDG_STATE_HOME to a folder elsewhere',
    });
    return decideTrust(context, []);
  }
  return decideTrust(context, decisions);
}

const NO_LEVELS = { levels: [] };

export function parseDecisions(value: unknown): readonly TrustDecision[] {
  const folders = isObject(value) ? value['folders'] : undefined;
  if (!isObject(folders)) return [];
  return Object.entries(folders).flatMap(([folder, said]): readonly TrustDecision[] => {
    const { decision, at } = isObject(said) ? said : {};
    if (decision !== 'trusted' && decision !== 'untrusted') return [];
    return [{ folder, decision, at: typeof at === 'string' ? at : '' }];
  });
}

/** Whose processes wait for trust in the folder: what the user did not write for this project, and nobody approved in it. */
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
      // A linked file that lies in a repository is approved in this project, or does not run.
      return author !== 'repository';
    case 'dynamic':
      return options.isForEveryFolder === true;
    case 'local':
    case 'project':
      // With the home folder under git, one project would hold every folder below it.
      return projectRoot !== cwd && isWide(projectRoot, places.home);
    default:
      return unreachable(scope);
  }
}

/** How to recognise what leads into the folder. */
export function reachOf(context: ConfigContext, { folder }: FolderTrust): FolderReach {
  const { cwd, places, ancestors, options, env } = context;
  const given = [options.cwd, env['PWD'], env['INIT_CWD']].filter((path) => path !== undefined && path !== cwd);
  // As the user came by it: the same folder by another spelling, and its root by that.
  const spelled = given.filter((path) => realPath(path!) === cwd).map((path) => rootAs(path!, cwd, folder));
  return {
    paths: [...new Set([folder, ...spelled.filter((path) => path !== undefined)])],
    isWide: isWide(folder, places.home),
    levels: ancestors.filter((level) => level === cwd || level === folder || !isWide(level, places.home)),
  };
}

function rootAs(path: string, cwd: string, folder: string): string | undefined {
  const below = cwd === folder ? '' : cwd.slice(folder.length);
  return path.endsWith(below) && path.length > below.length ? path.slice(0, path.length - below.length) : undefined;
}
