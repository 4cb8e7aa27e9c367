import { basename, join, resolve, sep } from 'node:path';
import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import { isRead } from '../context.js';
import type { JsonDocument } from '../document.js';
import { type Problem, problemAt } from '../problem.js';
import { entriesIn, joinReadings, sourceOf } from '../entries/servers.js';
import type { Scope, ScopeReader, ScopeReading, ConfigSource, WrittenEntry } from '../scope.js';

/** `plugin:<plugin>:<server>`: only servers of plugins may have such names. */
export const PLUGIN_PREFIX = 'plugin:';

/** The places of a plugin's manifest: its own folder, or the one of the host it was written for. */
const manifests = ['plugin.json', join('.claude-plugin', 'plugin.json')];

/** Servers of installed plugins: the plugins folder by name, then settings.pluginDirs in their order. */
export const plugin: Scope = {
  name: 'plugin',
  label: 'Plugin config (brought by your plugins)',
  async read(reader) {
    const readings: ScopeReading[] = [];
    for (const folder of await pluginFolders(reader)) readings.push(await readPlugin(folder, reader));
    return joinReadings(readings);
  },
};

async function pluginFolders(reader: ScopeReader): Promise<string[]> {
  const { places, options } = reader.context;
  const installed =
    places.config === undefined || !isRead(options, 'user') ? [] : childrenOf(join(places.config, 'plugins'), reader);
  const named: string[] = [];
  for (const folder of reader.settings.pluginDirs) {
    // A setting may name one plugin, or a folder of many.
    if (await isPlugin(folder, reader)) named.push(folder);
    else named.push(...childrenOf(folder, reader));
  }
  return [...new Set([...installed, ...named])];
}

function childrenOf(folder: string, reader: ScopeReader): string[] {
  return reader.list(folder).map((name) => join(folder, name));
}

async function isPlugin(folder: string, reader: ScopeReader): Promise<boolean> {
  for (const file of [...manifests, '.mcp.json']) {
    if ((await reader.read(join(folder, file))).kind !== 'absent') return true;
  }
  return false;
}

async function readPlugin(folder: string, reader: ScopeReader): Promise<ScopeReading> {
  const problems: Problem[] = [];
  const open = async (file: string): Promise<JsonDocument | undefined> => {
    const reading = await reader.read(file);
    if (reading.kind === 'broken') problems.push(reading.problem);
    if (reading.kind !== 'document') return undefined;
    problems.push(...reading.problems);
    return reading.document;
  };
  let manifest: JsonDocument | undefined;
  for (const file of manifests) manifest ??= await open(join(folder, file));
  const declared = manifest?.value['name'];
  const name = typeof declared === 'string' && declared !== '' ? declared : basename(folder);
  const sources: ConfigSource[] = [];
  const add = (document: JsonDocument, entries: readonly WrittenEntry[]): void => {
    const named = entries.map((entry) => ({ ...entry, name: `${PLUGIN_PREFIX}${name}:${entry.name}` }));
    const variables = { CLAUDE_PLUGIN_ROOT: folder, PLUGBOARD_PLUGIN_ROOT: folder };
    sources.push(sourceOf(document, { scope: 'plugin', author: 'user', entries: named, variables }));
  };

  const inline = manifest?.value['mcpServers'];
  if (manifest && isObject(inline)) add(manifest, entriesIn(inline, ['mcpServers']));
  else if (manifest && typeof inline === 'string') {
    const file = resolve(folder, inline);
    // A manifest may only point to files inside its plugin.
    if (!file.startsWith(folder + sep)) problems.push(await outside(manifest, inline));
    else await addFile(file);
  } else if (manifest && inline !== undefined) problems.push(await wrongServers(manifest));
  if (typeof inline !== 'string' || resolve(folder, inline) !== join(folder, '.mcp.json')) {
    await addFile(join(folder, '.mcp.json'));
  }
  return { sources, problems };

  async function addFile(file: string): Promise<void> {
    const document = await open(file);
    if (!document) return;
    const wrapped = document.value['mcpServers'];
    if (isObject(wrapped)) add(document, entriesIn(wrapped, ['mcpServers']));
    else if (wrapped === undefined) add(document, entriesIn(document.value, []));
    else problems.push(await wrongServers(document));
  }
}

async function outside(manifest: JsonDocument, path: string): Promise<Problem> {
  return {
    ...(await wrongServers(manifest)),
    message: `"${shorten(path, 200)}" lies outside of the plugin's folder`,
    hint: 'Move the file into the plugin',
  };
}

function wrongServers(document: JsonDocument): Promise<Problem> {
  const hint = 'Write "mcpServers": { "name": { "command": "..." } }';
  return problemAt(document, ['mcpServers'], 'expected an object of servers', hint);
}
