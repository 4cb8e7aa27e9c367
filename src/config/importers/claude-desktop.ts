import { mcpServersHost } from './mcp-servers-json.js';
import { applicationFile } from './places.js';
import { noVariables } from './variables.js';

export const claudeDesktop = mcpServersHost({
  host: 'claude-desktop',
  title: 'Claude Desktop',
  files: (where) => applicationFile(where, 'Claude', 'claude_desktop_config.json'),
  rules: {},
  dialect: noVariables,
});
