import type { RawEntry } from '../../transports/kind.js';
import { projectFile } from '../importers/places.js';
import {
  carry,
  carryEach,
  copy,
  type ExportRule,
  type ForeignShape,
  toForeignClient,
  toEnabled,
  toForeignEntry,
  toSeconds,
} from './export-fields.js';
import type { Exporter } from './exporter.js';
import { variableWriter } from './write-variables.js';

/** What nearly every host calls by the same name. */
export const sameFields = {
  command: carry(),
  args: carry(),
  env: carryEach(),
  url: carry(),
  headers: carryEach(),
} as const;

/** An entry that begins with nothing, or with its type. */
export const untyped = (): RawEntry => ({});
export const typed = (type: string) => (): RawEntry => ({ type });

/** `${env:NAME}`, as in VS Code and editors derived from it. */
export function editorSyntax(title: string): ForeignShape['variables'] {
  return variableWriter({
    title,
    toReference: (name) => `\${env:${name}}`,
    projectFolder: '${workspaceFolder}',
    ownSyntax: /\$\{[^}]*\}?/u,
  });
}

/** `${NAME}` and `${NAME:-default}`, as here. */
function ourSyntax(title: string): ForeignShape['variables'] {
  return variableWriter({ title, toReference: (name) => `\${${name}}`, hasDefaults: true });
}

/** A list of tools; without one all tools are meant, which Copilot wants to be told. */
const copilotTools: ExportRule = (value, draft) => void draft.fields.set('tools', value);

const shapes: Readonly<Record<string, ForeignShape>> = {
  'claude-code': {
    title: 'Claude Code',
    kinds: { stdio: typed('stdio'), http: typed('http'), sse: typed('sse'), ws: typed('ws') },
    fields: {
      ...sameFields,
      headersHelper: copy(),
      timeout: copy(),
      alwaysLoad: copy(),
      oauth: toForeignClient('oauth', {
        clientId: 'clientId',
        callbackPort: 'callbackPort',
        authServerMetadataUrl: 'authServerMetadataUrl',
        scopes: 'scopes',
      }),
    },
    variables: ourSyntax('Claude Code'),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    kinds: { stdio: untyped },
    fields: sameFields,
    variables: variableWriter({ title: 'Claude Desktop' }),
  },
  cursor: {
    title: 'Cursor',
    kinds: { stdio: untyped, http: untyped, sse: typed('sse') },
    fields: { ...sameFields, oauth: toForeignClient('auth', { clientId: 'CLIENT_ID', scopes: 'scopes' }) },
    variables: editorSyntax('Cursor'),
  },
  gemini: {
    title: 'Gemini CLI',
    kinds: { stdio: untyped, http: typed('http'), sse: typed('sse') },
    fields: {
      ...sameFields,
      cwd: carry(),
      timeout: copy(),
      includeTools: copy(),
      excludeTools: copy(),
      oauth: toForeignClient('oauth', { clientId: 'clientId', scopes: 'scopes' }),
    },
    variables: variableWriter({
      title: 'Gemini CLI',
      toReference: (name) => `\${${name}}`,
      hasDefaults: true,
      ownSyntax: /\$[A-Za-z_{]\w*/u,
    }),
  },
  zed: {
    title: 'Zed',
    kinds: { stdio: () => ({ source: 'custom' }), http: untyped },
    fields: { ...sameFields, disabled: toEnabled, timeout: toSeconds('timeout') },
    variables: variableWriter({ title: 'Zed' }),
  },
  windsurf: {
    title: 'Windsurf',
    kinds: { stdio: untyped, http: untyped, sse: untyped },
    fields: { ...sameFields, url: carry('serverUrl'), disabled: copy(), excludeTools: copy('disabledTools') },
    variables: editorSyntax('Windsurf'),
  },
  cline: {
    title: 'Cline',
    kinds: { stdio: typed('stdio'), http: typed('streamableHttp'), sse: typed('sse') },
    fields: { ...sameFields, cwd: carry(), disabled: copy(), timeout: toSeconds('timeout') },
    variables: editorSyntax('Cline'),
  },
  copilot: {
    title: 'GitHub Copilot CLI',
    kinds: {
      stdio: () => ({ type: 'local', tools: ['*'] }),
      http: () => ({ type: 'http', tools: ['*'] }),
      sse: () => ({ type: 'sse', tools: ['*'] }),
    },
    fields: { ...sameFields, cwd: carry(), timeout: copy(), includeTools: copilotTools },
    variables: ourSyntax('GitHub Copilot CLI'),
  },
};

const keys: Readonly<Record<string, string>> = { zed: 'context_servers' };

/** The hosts whose JSON file differs from ours only in names. */
export const jsonExporters: readonly Exporter[] = Object.entries(shapes).map(([host, shape]): Exporter => ({
  host,
  path: () => [keys[host] ?? 'mcpServers'],
  ...(host === 'claude-code' && { projectFiles: (where) => projectFile(where, '.mcp.json') }),
  toForeign: (name, entry) => toForeignEntry(shape, name, entry),
}));
