import { isObject } from '../../base/json.js';
import { type FieldRule, lose, merge, put } from './mapping.js';
import { mcpServersHost } from './mcp-servers-json.js';
import { homeFile, projectFile } from './places.js';
import { editorVariables } from './variables.js';

/** `auth` is our `oauth`, with two fields in capitals. */
const auth: FieldRule = (value, draft) => {
  if (!isObject(value)) return put(draft, 'oauth', value, 'auth');
  const fields = Object.entries(value).map(([key, part]) => [
    Object.hasOwn(authWords, key) ? authWords[key]! : key,
    part,
  ]);
  return merge(draft, 'oauth', Object.fromEntries(fields), 'auth');
};

const authWords: Readonly<Record<string, string>> = { CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret' };

export const cursor = mcpServersHost({
  host: 'cursor',
  title: 'Cursor',
  files: (where) => [...homeFile(where, '.cursor', 'mcp.json'), ...projectFile(where, '.cursor', 'mcp.json')],
  rules: { auth, envFile: lose('copy the variables you need into "env"') },
  dialect: editorVariables(),
});
