import { join } from 'node:path';
import { shellWord } from '../../base/shell-word.js';
import { distrustOf } from '../../edge/ownership.js';
import type { Problem } from '../problem.js';
import type { Scope, ScopeReader, Source } from '../scope.js';
import { serversOf, sourceOf } from '../servers.js';

/** What a repository brings along: read from the working directory and every parent, nearer ones stronger. */
export const project: Scope = {
  name: 'project',
  label: 'Project config (shared via .mcp.json)',
  async read(reader) {
    const sources: Source[] = [];
    const problems: Problem[] = [];
    for (const file of reader.context.ancestors.flatMap(projectFilesIn)) {
      const found = await readProjectFile(file, reader);
      if (found.source) sources.push(found.source);
      problems.push(...found.problems);
    }
    return { sources, problems };
  },
};

/** The files of one folder, stronger first. */
export function projectFilesIn(folder: string): readonly string[] {
  return [join(folder, '.mcp.json'), join(folder, '.plugboard', 'settings.json')];
}

async function readProjectFile(
  file: string,
  reader: ScopeReader,
): Promise<{ readonly source?: Source; readonly problems: readonly Problem[] }> {
  const reading = await reader.read(file);
  if (reading.kind === 'absent') return { problems: [] };
  // Whoever works in a folder knows it; what lies above it may be anyone's.
  const distrust = projectFilesIn(reader.context.cwd).includes(file) ? undefined : distrustOf(file);
  if (distrust !== undefined) {
    const hint = `Move the project, or take the file over: chown "$USER" ${shellWord(file)}`;
    return {
      problems: [{ severity: 'warning', code: 'ignored-file', file, message: `is ignored: ${distrust}`, hint }],
    };
  }
  if (reading.kind === 'broken') return { problems: [reading.problem] };
  const { document, problems } = reading;
  const found = await serversOf(document);
  const isEmpty = !Object.hasOwn(document.value, 'mcpServers') && Object.keys(document.value).length > 0;
  if (isEmpty && file.endsWith('.mcp.json')) return { problems: [...problems, withoutServers(file, document.value)] };
  return {
    source: sourceOf(document, { scope: 'project', author: 'repository', entries: found.entries }),
    problems: [...problems, ...found.problems],
  };
}

/** Servers written at the top level, as some hosts have them, would otherwise be overlooked in silence. */
function withoutServers(file: string, value: { readonly [key: string]: unknown }): Problem {
  const message = 'has no "mcpServers", so no server is read from it';
  const meant = ['servers', 'mcp_servers', 'mcp', 'context_servers'].find((key) => Object.hasOwn(value, key));
  const hint =
    meant === undefined ? 'Write { "mcpServers": { "name": { ... } } }' : `Rename "${meant}" to "mcpServers"`;
  return { severity: 'warning', code: 'ignored-file', file, message, hint };
}
