import type { RawEntry } from '../../transports/kind.js';
import type { ForeignFile, Importer, ImportWhere, ImportProblem } from './importer.js';
import { mapEntry, timeout } from './mapping.js';
import { movableFile } from './places.js';
import { ownAt } from '../entries/servers.js';
import { namesIn, notCarriedOver, serversBelow } from './server-map.js';

/** One file for all projects: the user's servers at the top, private ones below each project. `.mcp.json` is ours too. */
export const claudeCode: Importer = {
  host: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  files: (where) => movableFile(where, 'CLAUDE_CONFIG_DIR', ['', '.claude.json']),
  parseFile(value, where) {
    const files = projectKeys(value, where).map((key) => parseProject(value, key));
    const off = new Set(files.flatMap(({ disabled }) => disabled));
    const user = serversBelow(value, ['mcpServers']);
    const parts: ForeignFile[] = [user, ...files];
    return {
      entries: parts
        .flatMap(({ entries }) => entries)
        .map((entry) => ({ ...entry, ...(off.has(entry.name) && { off: 'here' }) })),
      remarks: [...parts.flatMap(({ remarks }) => remarks), ...choicesIn(value, [])],
    };
  },
  toEntry: (raw) => mapEntry(raw, { timeout }),
};

/** The keys of `projects` that mean this project. On Windows they are written with slashes. */
function projectKeys(value: RawEntry, where: ImportWhere): readonly string[] {
  const projects = ownAt(value, ['projects']);
  const folders = [...new Set([where.cwd, where.projectRoot])];
  const spellings =
    where.platform === 'win32' ? folders.flatMap((folder) => [folder, folder.replaceAll('\\', '/')]) : folders;
  return spellings.filter((folder) => ownAt(projects, [folder]) !== undefined);
}

function parseProject(value: RawEntry, key: string): ForeignFile & { readonly disabled: readonly string[] } {
  const path = ['projects', key];
  const { entries, remarks } = serversBelow(value, [...path, 'mcpServers']);
  return {
    entries: entries.map((entry) => ({ ...entry, local: true })),
    remarks: [...remarks, ...choicesIn(value, path)],
    disabled: namesIn(ownAt(value, [...path, 'disabledMcpServers'])),
  };
}

/** Warns that approvals of `.mcp.json` servers are not imported: ours cover the whole entry, not its name. */
function choicesIn(value: RawEntry, path: readonly string[]): readonly ImportProblem[] {
  return ['enabledMcpjsonServers', 'disabledMcpjsonServers']
    .filter((field) => namesIn(ownAt(value, [...path, field])).length > 0)
    .map((field) =>
      notCarriedOver([...path, field], `"${field}" is not imported`, 'Approve servers here: plugboard approve'),
    );
}
