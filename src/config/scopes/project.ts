import { join } from 'node:path';
import { shellWord } from '../../base/shell-word.js';
import { whyUntrusted } from '../../edge/files/ownership.js';
import type { Problem } from '../problem.js';
import type { Scope, ScopeReader, ScopeReading } from '../scope.js';
import { joinReadings, NO_SERVERS, readServers } from '../entries/servers.js';

/** Servers of a repository: from the working directory and every parent, nearer ones stronger. */
export const project: Scope = {
  name: 'project',
  label: 'Project config (shared via .mcp.json)',
  async read(reader) {
    const files = reader.context.ancestors.flatMap(projectFilesIn);
    return joinReadings(await Promise.all(files.map((file) => readProjectFile(file, reader))));
  },
};

/** The files of one folder, stronger first. */
export function projectFilesIn(folder: string): readonly string[] {
  return [join(folder, '.mcp.json'), join(folder, '.plugboard', 'settings.json')];
}

async function readProjectFile(file: string, reader: ScopeReader): Promise<ScopeReading> {
  const reading = await reader.read(file);
  if (reading.kind === 'absent') return NO_SERVERS;
  // The user knows the working directory; files above it may belong to anyone.
  const distrust = projectFilesIn(reader.context.cwd).includes(file) ? undefined : whyUntrusted(file);
  if (distrust !== undefined) {
    const hint = `Move the project, or take the file over: chown "$USER" ${shellWord(file)}`;
    const message = `is ignored: ${distrust}`;
    return { sources: [], problems: [{ severity: 'warning', code: 'ignored-file', file, message, hint }] };
  }
  if (reading.kind === 'broken') return { sources: [], problems: [reading.problem] };
  const { value } = reading.document;
  const isEmpty = !Object.hasOwn(value, 'mcpServers') && Object.keys(value).length > 0;
  if (!isEmpty || !file.endsWith('.mcp.json')) return readServers(reading, { scope: 'project', author: 'repository' });
  return { sources: [], problems: [...reading.problems, withoutServers(file, value)] };
}

/** Reports a file with servers at the top level, as some hosts have them; it would silently be ignored. */
function withoutServers(file: string, value: { readonly [key: string]: unknown }): Problem {
  const message = 'has no "mcpServers", so no server is read from it';
  const meant = ['servers', 'mcp_servers', 'mcp', 'context_servers'].find((key) => Object.hasOwn(value, key));
  const hint =
    meant === undefined ? 'Write { "mcpServers": { "name": { ... } } }' : `Rename "${meant}" to "mcpServers"`;
  return { severity: 'warning', code: 'ignored-file', file, message, hint };
}
