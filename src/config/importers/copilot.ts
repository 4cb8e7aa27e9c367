import { type FieldRule, put, typeFrom } from './mapping.js';
import { mcpServersHost } from './mcp-servers-json.js';
import { movableFile, projectFile } from './places.js';
import { sameVariables } from './variables.js';

const tools: FieldRule = (value, draft) => {
  const isAll = value === '*' || (Array.isArray(value) && value.includes('*'));
  if (!isAll) put(draft, 'includeTools', value, 'tools');
};

/** Its project file `.mcp.json` is Plugboard's own, too, so it is not listed. */
export const copilot = mcpServersHost({
  host: 'copilot',
  title: 'GitHub Copilot CLI',
  files: (where) => [
    ...movableFile(where, 'COPILOT_HOME', ['.copilot', 'mcp-config.json']),
    ...projectFile(where, '.github', 'mcp.json'),
  ],
  rules: { type: typeFrom({ local: 'stdio' }), tools },
  dialect: sameVariables,
});
