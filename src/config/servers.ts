import { isObject } from '../base/json.js';
import type { JsonDocument } from './document.js';
import type { Problem } from './problem.js';
import type { Source, WrittenEntry } from './scope.js';

/** The entries below `key` of a document, whatever else it holds. */
export async function serversOf(
  document: JsonDocument,
  key = 'mcpServers',
): Promise<{ readonly entries: readonly WrittenEntry[]; readonly problems: readonly Problem[] }> {
  const { value } = document;
  if (!Object.hasOwn(value, key)) return { entries: [], problems: [] };
  const servers = value[key];
  if (!isObject(servers)) {
    const line = await document.lineOf([key]);
    const problem: Problem = {
      severity: 'error',
      code: 'malformed',
      file: document.file,
      ...(line !== undefined && { line }),
      field: key,
      message: `expected an object of servers, got ${Array.isArray(servers) ? 'an array' : servers === null ? 'null' : typeof servers}`,
      hint: `Write "${key}": { "name": { "command": "..." } }`,
    };
    return { entries: [], problems: [problem] };
  }
  return { entries: Object.entries(servers).map(([name, raw]) => ({ name, raw, path: [key, name] })), problems: [] };
}

type SourceFields = Pick<Source, 'scope' | 'author' | 'entries'> & Partial<Pick<Source, 'origin' | 'variables'>>;

/** A document as a source of servers. */
export function sourceOf(document: JsonDocument, fields: SourceFields): Source {
  const { text, file, lineOf } = document;
  // One look at the whole text saves a thousand at its entries; an escape may spell a dollar, too.
  const hasVariables = text.includes('${') || text.includes('\\u');
  return { origin: file, lineOf, hasVariables, ...fields };
}
