import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ForeignEntry, Importer } from './importer.js';
import { type FieldRule, forget, lose, mapEntry, put, timeout, unless } from './mapping.js';
import { homeFile, projectFile } from './places.js';
import { ownAt } from '../entries/servers.js';
import { namesIn, serversBelow } from './server-map.js';
import { shellVariables } from './variables.js';

export const geminiImporter: Importer = {
  host: 'gemini',
  title: 'Gemini CLI',
  format: 'json',
  files: (where) => [...homeFile(where, '.gemini', 'settings.json'), ...projectFile(where, '.gemini', 'settings.json')],
  parseFile(value) {
    const { entries, remarks } = serversBelow(value, ['mcpServers']);
    return {
      entries: entries.map((entry) => ({ ...entry, ...(isOff(value, entry) && { off: 'everywhere' }) })),
      remarks,
    };
  },
  toEntry(raw) {
    const hasHttpUrl = Object.hasOwn(raw, 'httpUrl');
    const { entry, lost, notes, kept } = mapEntry(
      raw,
      {
        httpUrl,
        oauth,
        timeout,
        description: forget,
        authProviderType: unless(
          (value) => value === 'dynamic_discovery',
          lose('give the token by a command: "headersHelper", or sign in: plugboard login'),
        ),
        tcp: lose('Plugboard has no TCP transport; use "url"'),
        // Gemini CLI prefers the older field `httpUrl`, which needs no type.
        ...(hasHttpUrl && { url: lose('"httpUrl" is also set, and takes precedence'), type: forget }),
      },
      shellVariables,
    );
    const isUntyped = Object.hasOwn(raw, 'url') && !hasHttpUrl && !Object.hasOwn(raw, 'type');
    return { entry, lost, notes: isUntyped ? [...notes, UNTYPED] : notes, kept };
  },
};

const UNTYPED =
  'A "url" without a "type" is http here; older versions of Gemini CLI meant sse: if so, add "type": "sse"';

const httpUrl: FieldRule = (value, draft, field) => {
  put(draft, 'type', 'http', field);
  put(draft, 'url', value, field);
};

/** Endpoints and registration are discovered here, so fields for them are kept but not used. */
const oauth: FieldRule = (value, draft) => {
  const unused = isObject(value) ? Object.keys(value).filter((field) => unusedOauth.includes(field)) : [];
  for (const field of unused) draft.kept.add(`oauth.${field}`);
  put(draft, 'oauth', value);
};

const unusedOauth = [
  'enabled',
  'authorizationUrl',
  'tokenUrl',
  'registrationUrl',
  'issuer',
  'audiences',
  'redirectUri',
  'tokenParamName',
];

/** Whether one of the two lists beside the servers disables this one; both lists have an older name, too. */
function isOff(value: RawEntry, { name }: ForeignEntry): boolean {
  const excluded = [ownAt(value, ['mcp', 'excluded']), ownAt(value, ['excludeMCPServers'])];
  const allowed = [ownAt(value, ['mcp', 'allowed']), ownAt(value, ['allowMCPServers'])].filter(Array.isArray);
  return excluded.some((list) => namesIn(list).includes(name)) || allowed.some((list) => !namesIn(list).includes(name));
}
