import { resolve } from 'node:path';
import type { DocumentReading } from '../document.js';
import { parseDocument } from '../document.js';
import type { Problem } from '../problem.js';
import type { Scope, ScopeReader, ScopeReading } from '../scope.js';
import { joinReadings, serversOf, sourceOf } from '../entries/servers.js';

const FILE_FLAG = '--mcp-config';
const SERVER_FLAG = '--mcp-server';

/** Servers of this run: files or JSON after --mcp-config, single entries after --mcp-server. */
export const dynamic: Scope = {
  name: 'dynamic',
  label: 'Dynamic config (from the command line)',
  async read(reader) {
    const { mcpConfig = [], mcpServers = [] } = reader.context.options;
    const { sources, problems } = joinReadings(
      await Promise.all([
        ...mcpServers.map((text) => readServer(text)),
        ...mcpConfig.map((argument) => readArgument(argument, reader)),
      ]),
    );
    // The later of two arguments is stronger, as for any flag that is given twice.
    return { sources: sources.toReversed(), problems };
  },
};

async function readArgument(argument: string, reader: ScopeReader): Promise<ScopeReading> {
  const isJson = argument.trimStart().startsWith('{');
  const origin = isJson ? FILE_FLAG : resolve(reader.context.cwd, argument);
  const reading = isJson ? await parseDocument(argument, FILE_FLAG) : await reader.read(origin);
  if (reading.kind === 'absent') {
    return refuse(origin, `MCP config file not found: ${origin}`, `Check the path after ${FILE_FLAG}`);
  }
  return toSource(reading, origin);
}

async function toSource(reading: Exclude<DocumentReading, { kind: 'absent' }>, origin: string): Promise<ScopeReading> {
  if (reading.kind === 'broken') {
    const hint = `Check what follows ${FILE_FLAG} or ${SERVER_FLAG}`;
    return { sources: [], problems: [{ ...reading.problem, code: 'bad-argument', hint }] };
  }
  const { document } = reading;
  if (!Object.hasOwn(document.value, 'mcpServers')) {
    return refuse(origin, 'has no "mcpServers"', 'Write { "mcpServers": { "name": { "command": "..." } } }');
  }
  const found = await serversOf(document);
  return {
    sources: [sourceOf(document, { scope: 'dynamic', origin, author: 'user', entries: found.entries })],
    problems: [
      ...reading.problems,
      ...found.problems.map((problem): Problem => ({ ...problem, code: 'bad-argument' })),
    ],
  };
}

async function readServer(text: string): Promise<ScopeReading> {
  const split = text.indexOf('=');
  if (split < 1) return refuse(SERVER_FLAG, 'expected NAME=JSON', `Write ${SERVER_FLAG} 'name={"command":"..."}'`);
  const reading = await parseDocument(text.slice(split + 1), SERVER_FLAG);
  if (reading.kind !== 'document')
    return toSource(reading as Extract<DocumentReading, { kind: 'broken' }>, SERVER_FLAG);
  const entry = { name: text.slice(0, split), raw: reading.document.value, path: [] };
  return {
    sources: [sourceOf(reading.document, { scope: 'dynamic', author: 'user', entries: [entry] })],
    problems: reading.problems,
  };
}

function refuse(file: string, message: string, hint: string): ScopeReading {
  return { sources: [], problems: [{ severity: 'error', code: 'bad-argument', file, message, hint }] };
}
