import type { ScopeName, ScopeReader, ScopeReading } from '../scope.js';
import { serversOf } from '../servers.js';

/** A file that the user alone writes: `mcpServers` in it need nobody's approval. */
export async function readOwnFile(
  reader: ScopeReader,
  file: string | undefined,
  scope: ScopeName,
): Promise<ScopeReading> {
  const reading = file === undefined ? undefined : await reader.read(file);
  if (!reading || reading.kind === 'absent') return { sources: [], problems: [] };
  if (reading.kind === 'broken') return { sources: [], problems: [reading.problem] };
  const { document, problems } = reading;
  const found = await serversOf(document);
  return {
    sources: [{ scope, origin: document.file, author: 'user', entries: found.entries, lineOf: document.lineOf }],
    problems: [...problems, ...found.problems],
  };
}
