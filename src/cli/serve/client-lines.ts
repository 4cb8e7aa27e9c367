import { shellWord } from '../../base/shell-word.js';

/** Ready lines for the configuration of clients, with the key. */
export function clientLines(url: string, key: string | undefined): readonly string[] {
  const authorization = key === undefined ? undefined : `Bearer ${key}`;
  const headers = authorization === undefined ? {} : { headers: { Authorization: authorization } };
  const claude = ['claude', 'mcp', 'add', '--scope', 'user', '--transport', 'http', 'plugboard', url];
  if (authorization !== undefined) claude.push('--header', `Authorization: ${authorization}`);
  return [
    'Claude Code:',
    `  ${claude.map(shellWord).join(' ')}`,
    'Cursor (~/.cursor/mcp.json):',
    `  ${JSON.stringify({ mcpServers: { plugboard: { url, ...headers } } })}`,
    'VS Code:',
    `  code --add-mcp ${shellWord(JSON.stringify({ name: 'plugboard', type: 'http', url, ...headers }))}`,
    'Codex (~/.codex/config.toml):',
    '  [mcp_servers.plugboard]',
    `  url = ${toTomlString(url)}`,
    ...(authorization === undefined ? [] : [`  http_headers = { Authorization = ${toTomlString(authorization)} }`]),
    'Zed (settings.json):',
    `  ${JSON.stringify({ context_servers: { plugboard: { url, ...headers } } })}`,
  ];
}

/** A basic string of TOML has the escapes of JSON. */
function toTomlString(text: string): string {
  return JSON.stringify(text);
}
