import { resolve } from 'node:path';
import { shorten } from '../../base/shorten.js';
import type { ConfigOptions, ServersObject } from '../context.js';
import type { DocumentReading } from '../document.js';
import { parseDocument } from '../document.js';
import type { Problem } from '../problem.js';
import type { Scope, ScopeReader, ScopeReading } from '../scope.js';
import { joinReadings, serversOf, sourceOf } from '../entries/servers.js';

const FILE_FLAG = '--mcp-config';
const SERVER_FLAG = '--mcp-server';

/** Servers of this run: options of the library, or what follows --mcp-config and --mcp-server. */
export const dynamic: Scope = {
  name: 'dynamic',
  label: 'Dynamic config (from the command line)',
  async read(reader) {
    const { options } = reader.context;
    const { mcpConfig = [], mcpServers = [] } = options;
    const isList = Array.isArray as (value: unknown) => value is readonly string[];
    const own = isList(mcpServers)
      ? mcpServers.map((text, at) => readServer(text, originOf(options, SERVER_FLAG, `mcpServers[${at}]`)))
      : [readObject({ mcpServers }, 'mcpServers')];
    const files = mcpConfig.map((argument, at) => {
      const origin = originOf(options, FILE_FLAG, `mcpConfig[${at}]`);
      return typeof argument === 'string' ? readArgument(argument, origin, reader) : readObject(argument, origin);
    });
    const { sources, problems } = joinReadings(await Promise.all([...own, ...files]));
    // The later of two arguments is stronger, as for any flag that is given twice.
    return { sources: sources.toReversed(), problems };
  },
};

/** What a problem names: the flag, or the option of the library. */
function originOf({ isCommandLine }: ConfigOptions, flag: string, option: string): string {
  return isCommandLine === true ? flag : option;
}

/** Reads an object through the text that it would be in a file, so that the same checks apply. */
async function readObject(servers: ServersObject, origin: string): Promise<ScopeReading> {
  let text: string;
  try {
    text = JSON.stringify(servers);
  } catch (cause) {
    // Options were checked; a `toJSON` or a getter may still throw.
    const message = `is no JSON: ${shorten(String(cause), 200)}`;
    return refuse(origin, message, 'Write it as it would stand in .mcp.json');
  }
  const reading = await parseDocument(text, origin);
  if (reading.kind !== 'document') return toSource(reading as Exclude<DocumentReading, { kind: 'absent' }>, origin);
  // An object has no lines.
  return toSource({ ...reading, document: { ...reading.document, placeOf: async () => undefined } }, origin);
}

async function readArgument(argument: string, flag: string, reader: ScopeReader): Promise<ScopeReading> {
  const isJson = argument.trimStart().startsWith('{');
  const origin = isJson ? flag : resolve(reader.context.cwd, argument);
  const reading = isJson ? await parseDocument(argument, flag) : await reader.read(origin);
  if (reading.kind === 'absent') {
    const hint = flag === FILE_FLAG ? `Check the path after ${FILE_FLAG}` : `Check the path in ${flag}`;
    return refuse(origin, `MCP config file not found: ${origin}`, hint);
  }
  return toSource(reading, origin, flag);
}

async function toSource(
  reading: Exclude<DocumentReading, { kind: 'absent' }>,
  origin: string,
  flag = origin,
): Promise<ScopeReading> {
  if (reading.kind === 'broken') {
    const isFlag = flag === FILE_FLAG || flag === SERVER_FLAG;
    const hint = isFlag ? `Check what follows ${FILE_FLAG} or ${SERVER_FLAG}` : `Check ${flag}`;
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

async function readServer(text: string, origin: string): Promise<ScopeReading> {
  const split = text.indexOf('=');
  if (split < 1) {
    const example = `'name={"command":"..."}'`;
    return refuse(origin, 'expected NAME=JSON', `Write ${origin === SERVER_FLAG ? `${origin} ` : ''}${example}`);
  }
  const reading = await parseDocument(text.slice(split + 1), origin);
  if (reading.kind !== 'document') return toSource(reading as Extract<DocumentReading, { kind: 'broken' }>, origin);
  const entry = { name: text.slice(0, split), raw: reading.document.value, path: [] };
  return {
    sources: [sourceOf(reading.document, { scope: 'dynamic', author: 'user', entries: [entry] })],
    problems: reading.problems,
  };
}

function refuse(file: string, message: string, hint: string): ScopeReading {
  return { sources: [], problems: [{ severity: 'error', code: 'bad-argument', file, message, hint }] };
}
