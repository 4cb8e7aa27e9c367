import { HostError } from '../../base/errors.js';
import { realPathOf, writtenPathOf } from '../../edge/files/folders.js';
import type { ConfigContext } from '../context.js';

/** Throws for a project file that is a link out of the project: it could make us overwrite any file of the user's. */
export function refuseOutside(file: string, context: Pick<ConfigContext, 'projectRoot'>): string {
  const real = writtenPathOf(file);
  if (real === undefined || real === file || isInProject(real, context)) return file;
  throw outsideError(file, real, 'Edit that file by hand, or remove the link');
}

/** Throws for a file that the user named in the project and that a link leads out of it. Elsewhere a link is the user's. */
export function refuseLinkOut(file: string, context: Pick<ConfigContext, 'projectRoot' | 'places'>): string {
  if (context.projectRoot === context.places.home || !isInProject(file, context)) return file;
  const real = writtenPathOf(file);
  if (real === undefined || isInProject(real, context)) return file;
  throw outsideError(file, real, 'Name that file itself, or remove the link');
}

function isInProject(path: string, { projectRoot }: Pick<ConfigContext, 'projectRoot'>): boolean {
  // The project itself may be behind a link.
  return [projectRoot, realPathOf(projectRoot) ?? projectRoot].some((root) => path.startsWith(`${root}/`));
}

function outsideError(file: string, real: string, hint: string): HostError {
  return new HostError('write-failed', `${file} leads out of the project by a symbolic link, to ${real}`, { hint });
}
