import type { HostConfig } from '../load.js';
import type { Problem } from '../problem.js';
import { projectFilesIn } from '../scopes/project.js';

/** Files that could not be read, so that their servers are unknown. */
function unreadFiles({ problems }: Pick<HostConfig, 'problems'>): readonly Problem[] {
  return problems.filter(
    ({ severity, code, server, field = 'mcpServers', file }) =>
      severity === 'error' &&
      (code === 'malformed' || code === 'unreadable') &&
      server === undefined &&
      field === 'mcpServers' &&
      !file.endsWith('mcp.lock'),
  );
}

/** The unread files that a repository brings. */
export function unreadProjectFiles(loaded: Pick<HostConfig, 'problems' | 'context'>): readonly Problem[] {
  const files = new Set(loaded.context.ancestors.flatMap(projectFilesIn));
  return unreadFiles(loaded).filter(({ file }) => files.has(file));
}

/** A hint when no server of a name was found: it may be in a file that could not be read. */
export function hintUnread(loaded: Pick<HostConfig, 'problems'>, otherwise: string): string {
  const [unread] = unreadFiles(loaded);
  if (!unread) return otherwise;
  return `Fix ${unread.file}, which is unreadable and may define the server (plugboard doctor). Otherwise: ${otherwise}`;
}
