import { shellWord } from '../../base/shell-word.js';

/** Ready lines for the configuration of clients, with the key. */
export function clientLines(url: string, key: string | undefined): readonly string[] {
  const authorization = key === undefined ? undefined : `Bearer ${key}`;
  const headers = authorization === undefined ? {} : { headers: { Authorization: authorization } };
  const claude = ['claude', 'mcp', 'add', '--transport', 'http', 'plugboard', url];
  if (authorization !== undefined) claude.push('--header', `Authorization: ${authorization}`);
  return [
    'Claude Code:',
    `  ${claude.map(shellWord).join(' ')}`,
    'Cursor (~/.cursor/mcp.json):',
    `  ${json({ mcpServers: { plugboard: { url, ...headers } } })}`,
    'VS Code:',
    `  code --add-mcp ${shellWord(json({ name: 'plugboard', type: 'http', url, ...headers }))}`,
    'Codex (~/.codex/config.toml):',
    '  [mcp_servers.plugboard]',
    `  url = ${tomlString(url)}`,
    ...(authorization === undefined ? [] : [`  http_headers = { Authorization = ${tomlString(authorization)} }`]),
    'Zed (settings.json):',
    `  ${json({ context_servers: { plugboard: { url, ...headers } } })}`,
  ];
}

/** A basic string of TOML has the escapes of JSON. */
function tomlString(text: string): string {
  return JSON.stringify(text);
}

function json(value: object): string {
  return JSON.stringify(value);
}
