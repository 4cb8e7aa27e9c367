import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../base/json.js';
import { shellWord } from '../base/shell-word.js';
import type { FolderReach } from '../edge/folder-reach.js';
import type { ConfigContext } from './context.js';
import type { ScopeReader, Source } from './scope.js';
import type { Problem } from './problem.js';
import type { Standing } from './server.js';

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

/** What makes the servers that wait for it run. */
export function trustCommand(folder: string): string {
  return `plugboard trust ${shellWord(folder)}`;
}

/** Why a server waits, after its name. */
export function untrustedText({ folder, reason }: Standing & { readonly kind: 'untrusted' }): string {
  return `needs ${folder}, which is not trusted: ${reason}`;
}

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
  return isWide(projectRoot, places.home) ? cwd : projectRoot;
}

/** The root, the home folder, and what holds it: trust in one of these is about nothing below it. */
export function isWide(folder: string, home: string | undefined): boolean {
  if (dirname(folder) === folder) return true;
  return home !== undefined && [home, realPath(home)].some((one) => one === folder || one.startsWith(`${folder}/`));
}

/** The nearest decision holds: for its folder, and for all below unless the folder is a wide one. */
export function decideTrust(context: ConfigContext, decisions: readonly TrustDecision[]): FolderTrust {
  const folder = folderToTrust(context);
  if (context.options.trustFolder === true) return { folder, kind: 'trusted', by: '--trust-folder' };
  const known = new Map(decisions.map((one) => [one.folder, one.decision]));
  for (let at = folder; ; at = dirname(at)) {
    const decision = at === folder || !isWide(at, context.places.home) ? known.get(at) : undefined;
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
  return decideTrust(context, reading?.kind === 'document' ? parseDecisions(reading.document.value) : []);
}

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
export function asksForTrust({ scope, author }: Pick<Source, 'scope' | 'author'>, { options }: ConfigContext): boolean {
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
      return false;
    default:
      return false;
  }
}

/** How to recognise what leads into the folder. */
export function reachOf(context: ConfigContext, { folder }: FolderTrust): FolderReach {
  const { cwd, places, ancestors, options, env } = context;
  const given = [options.cwd, env['PWD'], env['INIT_CWD']].filter((path) => path !== undefined && path !== cwd);
  // As the user came by it: the same folder by another spelling, and its root by that.
  const spelled = given.filter((path) => realPath(path!) === cwd).map((path) => rootAs(path!, cwd, folder));
  const above = ancestors.findIndex((level) => level === folder);
  return {
    paths: [...new Set([folder, ...spelled.filter((path) => path !== undefined)])],
    isWide: isWide(folder, places.home),
    levels: ancestors.slice(0, above + 1),
  };
}

function rootAs(path: string, cwd: string, folder: string): string | undefined {
  const below = cwd === folder ? '' : cwd.slice(folder.length);
  return path.endsWith(below) && path.length > below.length ? path.slice(0, path.length - below.length) : undefined;
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // it is not there: then it is nobody's folder
  }
}
