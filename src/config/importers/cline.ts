import { secondsToTimeout, typeFrom } from './mapping.js';
import { loseApprovals, mcpServersHost } from './mcp-servers-json.js';
import { applicationFile, homeFile } from './places.js';
import { editorVariables } from './variables.js';

const FILE = 'cline_mcp_settings.json';
const storage = ['User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings', FILE];

export const cline = mcpServersHost({
  host: 'cline',
  title: 'Cline',
  files: (where) => [
    ...applicationFile(where, 'Code', ...storage),
    ...applicationFile(where, 'Code - Insiders', ...storage),
    ...homeFile(where, '.cline', 'data', 'settings', FILE),
  ],
  rules: {
    transportType: typeFrom({}),
    timeout: secondsToTimeout,
    alwaysAllow: loseApprovals,
    autoApprove: loseApprovals,
  },
  dialect: editorVariables(),
  // Cline reads a URL without a type as an SSE server; here it would be HTTP.
  prepare: (raw) =>
    Object.hasOwn(raw, 'url') && !['command', 'type', 'transportType'].some((field) => Object.hasOwn(raw, field))
      ? { type: 'sse', ...raw }
      : raw,
});
