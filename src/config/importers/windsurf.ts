import { rename } from './mapping.js';
import { loseApprovals, mcpServersHost } from './mcp-servers-json.js';
import { homeFile } from './places.js';
import { editorVariables } from './variables.js';

export const windsurf = mcpServersHost({
  host: 'windsurf',
  title: 'Windsurf',
  files: (where) => [
    ...homeFile(where, '.codeium', 'windsurf', 'mcp_config.json'),
    ...homeFile(where, '.codeium', 'windsurf-next', 'mcp_config.json'),
  ],
  rules: { serverUrl: rename('url'), disabledTools: rename('excludeTools'), alwaysAllow: loseApprovals },
  dialect: editorVariables(),
});
