import type { ScopeName, ScopeReader, ScopeReading } from '../scope.js';
import { serversOf, sourceOf } from '../servers.js';

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
    sources: [sourceOf(document, { scope, author: 'user', entries: found.entries })],
    problems: [...problems, ...found.problems],
  };
}
