import { join, resolve } from 'node:path';
import { nearest } from '../../base/nearest.js';
import { Secret } from '../../base/secret.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { JsonDocument } from '../document.js';
import { expandText } from '../entries/expand.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import { closedProblem, readManagedPolicies } from './managed-policies.js';
import { closedPolicy, parsePolicy, type Policy } from './policy.js';
import { type Problem, problemAt } from '../problem.js';
import { userFile } from '../scopes/user.js';
import type { LinkedFile, ScopeReader, Settings } from '../scope.js';

export interface SettingsReading {
  readonly settings: Settings;
  readonly policies: readonly Policy[];
  readonly problems: readonly Problem[];
}

type Reader = Pick<ScopeReader, 'context' | 'read'>;

/** The settings that loading itself uses, from the administrator's and the user's files, never a repository's. */
export async function readSettings(reader: Reader): Promise<SettingsReading> {
  const managed = await readManagedPolicies(reader);
  const none: SettingsReading = { settings: { pluginDirs: [], links: [] }, ...managed };
  const file = userFile(reader.context);
  const reading = file === undefined ? undefined : await reader.read(file);
  if (!reading || reading.kind === 'absent') return none;
  if (reading.kind === 'broken') {
    // Servers of other files still run, unless this file contains a policy.
    if (!/(?:allow|den|block)\w*[_-]?mcp[_-]?servers?|require\w*sandbox/iu.test(reading.text ?? '')) return none;
    const reason = `${reading.problem.file} has a policy for servers and cannot be parsed`;
    return { ...none, policies: [...managed.policies, closedPolicy(reading.problem.file, { reason })] };
  }
  const { document } = reading;
  const top = parsePolicy(document.value, { file: document.file, by: 'user' });
  const raw = document.value['settings'];
  if (raw === undefined && !top.closed && !top.allowed && top.denied.length === 0 && !top.requireSandbox) return none;
  const problems: Problem[] = [...managed.problems];
  if (top.closed) problems.push(await closedProblem(document, top.closed, []));
  if (raw === undefined) return { ...none, policies: [...managed.policies, top], problems };
  if (!isObject(raw)) {
    problems.push(await problemAt(document, ['settings'], 'expected an object', 'Write "settings": {}'));
    const closed = closedPolicy(document.file, {
      field: 'settings',
      reason: `"settings" of ${document.file} is not an object`,
    });
    return { ...none, policies: [...managed.policies, closed], problems };
  }
  const policy = parsePolicy(raw, { file: document.file, by: 'user' });
  if (policy.closed) problems.push(await closedProblem(document, policy.closed, ['settings']));
  const settings = await parseSettings(raw, { document, reader, problems });
  return { settings, policies: [...managed.policies, top, policy], problems };
}

const settingNames: readonly string[] = [
  'permissions',
  'hooks',
  'allowedMcpServers',
  'deniedMcpServers',
  'requireSandbox',
  'toolSearch',
  'connectors',
  'xaaIdp',
  'pluginDirs',
  'links',
  'model',
  'agents',
];

interface SettingsContext {
  readonly document: JsonDocument;
  readonly reader: Reader;
  readonly problems: Problem[];
}

async function parseSettings(raw: RawEntry, { document, reader, problems }: SettingsContext): Promise<Settings> {
  const complain = async (field: string, expected: string): Promise<void> => {
    problems.push(
      await problemAt(document, ['settings', field], `expected ${expected}`, `Correct "${field}" in ${document.file}`),
    );
  };
  for (const key of Object.keys(raw).filter((name) => !settingNames.includes(name) && !/mcp.?servers?$/iu.test(name))) {
    const [close] = nearest(key, settingNames);
    const hint = close === undefined ? `Settings are: ${settingNames.join(', ')}` : `Did you mean "${close}"?`;
    const problem = await problemAt(
      document,
      ['settings', key],
      'unknown setting; Plugboard ignores it and leaves it in the file',
      hint,
    );
    problems.push({ ...problem, severity: 'warning', code: 'unknown-field' });
  }
  const { pluginDirs, links, connectors, xaaIdp, model, agents } = raw;
  const folders = Array.isArray(pluginDirs) ? pluginDirs.filter((folder) => typeof folder === 'string') : [];
  if (pluginDirs !== undefined && (!Array.isArray(pluginDirs) || folders.length !== pluginDirs.length)) {
    await complain('pluginDirs', 'an array of folders');
  }
  const parsedLinks = Array.isArray(links) ? links.map(parseLink) : [];
  const goodLinks = parsedLinks.filter((link) => link !== undefined);
  if (links !== undefined && (!Array.isArray(links) || goodLinks.length !== links.length)) {
    await complain('links', 'an array of { "host": "cursor", "file": "..." }');
  }
  const { env, places } = reader.context;
  const catalogue = parseConnectors(connectors, (text) => expandText(text, env).text);
  if (connectors !== undefined && !catalogue) await complain('connectors', 'an object with "url" and "token"');
  const provider = parseIdentityProvider(xaaIdp, (text) => expandText(text, env).text);
  if (xaaIdp !== undefined && !provider) await complain('xaaIdp', 'an object with "issuer" and "clientId"');
  const chosen = parseModel(model);
  if (model !== undefined && !chosen) {
    await complain('model', 'a name, or { "name": "...", "contextTokens": 200000, "maxTokens": 32000, "tools": [] }');
  }
  if (agents !== undefined && !isObject(agents)) await complain('agents', 'an object of agents by name');
  return {
    pluginDirs: folders.map((folder) => toAbsolute(folder, { home: places.home, base: places.config })),
    links: goodLinks.map(({ host, file }) => ({
      host,
      ...(file !== undefined && { file: toAbsolute(file, { home: places.home, base: places.config }) }),
    })),
    ...(catalogue && { connectors: catalogue }),
    ...(provider && { xaaIdp: provider }),
    ...(chosen && { model: chosen }),
    ...(isObject(agents) && { agents }),
  };
}

function parseModel(raw: unknown): Settings['model'] {
  if (typeof raw === 'string') return raw.trim() === '' ? undefined : { name: raw.trim() };
  if (!isObject(raw)) return undefined;
  const { name, contextTokens, maxTokens, tools } = raw;
  if (tools !== undefined && (!Array.isArray(tools) || !tools.every(isObject) || tools.length > PROVIDER_TOOLS))
    return undefined;
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) return undefined;
  if (![contextTokens, maxTokens].every((count) => count === undefined || isCount(count))) return undefined;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(isCount(contextTokens) && { contextTokens }),
    ...(isCount(maxTokens) && { maxTokens }),
    ...(tools !== undefined && { tools }),
  };
}

const PROVIDER_TOOLS = 20; // more than any provider has

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function parseLink(link: unknown): LinkedFile | undefined {
  if (typeof link === 'string') return { host: link };
  if (!isObject(link) || typeof link['host'] !== 'string') return undefined;
  const file = link['file'];
  if (file !== undefined && typeof file !== 'string') return undefined;
  return { host: link['host'], ...(file !== undefined && { file }) };
}

function parseConnectors(raw: unknown, expand: (text: string) => string): Settings['connectors'] {
  if (!isObject(raw)) return undefined;
  const { url, token } = raw;
  if (typeof url !== 'string' || (token !== undefined && typeof token !== 'string')) return undefined;
  return { url: expand(url), origin: maskUrl(url), ...(token !== undefined && { token: new Secret(expand(token)) }) };
}

function parseIdentityProvider(raw: unknown, expand: (text: string) => string): Settings['xaaIdp'] {
  if (!isObject(raw)) return undefined;
  const { issuer, clientId, clientSecret, callbackPort, scopes } = raw;
  if (typeof issuer !== 'string' || typeof clientId !== 'string') return undefined;
  const isPort = Number.isInteger(callbackPort) && Number(callbackPort) > 0 && Number(callbackPort) < 65_536;
  const named = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [];
  return {
    issuer: expand(issuer),
    clientId: expand(clientId),
    ...(typeof clientSecret === 'string' && { clientSecret: new Secret(expand(clientSecret)) }),
    ...(isPort && { callbackPort: Number(callbackPort) }),
    ...(named.length > 0 && { scopes: named }),
  };
}

/** `~/x` is in the home folder; any other relative path is in the folder of the settings file. */
function toAbsolute(
  path: string,
  from: { readonly home: string | undefined; readonly base: string | undefined },
): string {
  if (from.home !== undefined && (path === '~' || path.startsWith('~/'))) return join(from.home, path.slice(1));
  return resolve(from.base ?? '/', path);
}
