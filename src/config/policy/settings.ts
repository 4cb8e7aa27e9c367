import { join, resolve } from 'node:path';
import { nearest } from '../../base/nearest.js';
import { Secret } from '../../base/secret.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { type ConfigContext, isRead, settingsOrigin } from '../context.js';
import type { JsonDocument } from '../document.js';
import { expandText } from '../entries/expand.js';
import { type ConfigField, type FieldTable, fitsField, fitsShape, type Shape } from '../../model/fields/shape.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import { closedProblem, readManagedPolicies } from './managed-policies.js';
import { closedPolicy, parsePolicy, type Policy } from './policy.js';
import { parseGateway, presetProblems } from './gateway-parse.js';
import { type Problem, problemAt } from '../problem.js';
import { userFile } from '../scopes/user.js';
import type { LinkedFile, ModelSetting, ResultsSetting, ScopeReader, SessionsSetting, Settings } from '../scope.js';
import { SETTINGS_FIELDS } from './settings-fields.js';

export interface SettingsReading {
  readonly settings: Settings;
  readonly policies: readonly Policy[];
  readonly problems: readonly Problem[];
}

type Reader = Pick<ScopeReader, 'context' | 'read'>;

/** The settings that loading itself uses, from the administrator's and the user's files, never a repository's. */
export async function readSettings(reader: Reader): Promise<SettingsReading> {
  const managed = withRunPolicy(await readManagedPolicies(reader), reader.context);
  const none: SettingsReading = { settings: { pluginDirs: [], links: [] }, ...managed };
  const file = isRead(reader.context.options, 'user') ? userFile(reader.context) : undefined;
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

/** The policy of this run beside the administrator's. */
function withRunPolicy<Managed extends Pick<SettingsReading, 'policies' | 'problems'>>(
  managed: Managed,
  { options }: ConfigContext,
): Managed {
  if (!options.settings) return managed;
  const file = settingsOrigin(options);
  const policy = parsePolicy(options.settings, { file, by: 'user' });
  const { closed } = policy;
  const problem: Problem | undefined = closed && {
    severity: 'error',
    code: 'bad-argument',
    file,
    message: closed.reason,
    hint: 'Correct it, or leave it out',
  };
  return {
    ...managed,
    policies: [...managed.policies, policy],
    problems: [...managed.problems, ...(problem ? [problem] : [])],
  };
}

const settingNames = Object.keys(SETTINGS_FIELDS);

interface SettingsContext {
  readonly document: JsonDocument;
  readonly reader: Reader;
  readonly problems: Problem[];
}

async function parseSettings(raw: RawEntry, { document, reader, problems }: SettingsContext): Promise<Settings> {
  const unknown = Object.keys(raw).filter((name) => !settingNames.includes(name) && !/mcp.?servers?$/iu.test(name));
  problems.push(...(await unknownFields(unknown, { document, known: settingNames, path: ['settings'] })));
  for (const [name, field] of loadedFields) {
    const value = raw[name];
    if (value === undefined) continue;
    const path = ['settings', name];
    const fields = isObject(value) ? closedFields(field.shape) : undefined;
    if (fields && isObject(value)) {
      const known = Object.keys(fields);
      const others = Object.keys(value).filter((key) => !known.includes(key));
      problems.push(...(await unknownFields(others, { document, known, path })));
    }
    const checked = name === 'gateway' ? withoutPresets(value) : value;
    problems.push(...(await misfits(checked, field, { document, fields, path })));
  }
  problems.push(...(await presetProblems(raw['gateway'], document)));
  const { pluginDirs, links, connectors, xaaIdp, model, agents, sessions, results, gateway } = raw;
  const folders = Array.isArray(pluginDirs) ? pluginDirs.filter((folder) => typeof folder === 'string') : [];
  const goodLinks = Array.isArray(links) ? links.map(parseLink).filter((link) => link !== undefined) : [];
  const { env, places } = reader.context;
  const catalogue = parseConnectors(connectors, (text) => expandText(text, env).text);
  const provider = parseIdentityProvider(xaaIdp, (text) => expandText(text, env).text);
  const chosen = parseModel(model);
  const kept = parseKept(sessions, SETTINGS_FIELDS.sessions);
  const saved = parseKept(results, SETTINGS_FIELDS.results);
  const served = parseGateway(gateway);
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
    ...(kept && { sessions: kept }),
    ...(saved && { results: saved }),
    ...(served && { gateway: served }),
  };
}

/** `settings.gateway` without presets that are told one by one. */
function withoutPresets(gateway: unknown): unknown {
  if (!isObject(gateway) || !isObject(gateway['presets'])) return gateway;
  return { ...gateway, presets: undefined };
}

interface FieldsContext {
  readonly document: JsonDocument;
  /** The path of the object that has the fields. */
  readonly path: readonly string[];
}

async function unknownFields(
  names: readonly string[],
  { document, known, path }: FieldsContext & { readonly known: readonly string[] },
): Promise<readonly Problem[]> {
  const what = path.length === 1 ? 'setting' : 'field';
  const all = path.length === 1 ? 'Settings' : `Fields of ${path.at(-1)}`;
  const problems: Problem[] = [];
  for (const name of names) {
    const [close] = nearest(name, known);
    const hint = close === undefined ? `${all} are: ${known.join(', ')}` : `Did you mean "${close}"?`;
    const message = `unknown ${what}; Plugboard ignores it and leaves it in the file`;
    const problem = await problemAt(document, [...path, name], message, hint);
    problems.push({ ...problem, severity: 'warning', code: 'unknown-field' });
  }
  return problems;
}

/** What is wrong in a setting: a problem for each field that says what it expects, or else one for the whole. */
async function misfits(
  value: unknown,
  { shape, expected }: ConfigField,
  { document, fields = {}, path }: FieldsContext & { readonly fields: FieldTable | undefined },
): Promise<readonly Problem[]> {
  if (fitsShape(shape, value)) return [];
  const problems: Problem[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.expected === undefined || fitsField(field, value as RawEntry, name)) continue;
    const hint = `Write "${name}": ${field.default}, or leave it out`;
    problems.push(await problemAt(document, [...path, name], `expected ${field.expected}`, hint));
  }
  if (problems.length > 0) return problems;
  const hint = `Correct "${path.at(-1)}" in ${document.file}`;
  return [await problemAt(document, path, `expected ${expected}`, hint)];
}

/** The fields of an object that may have no others, also where it may be written in another way. */
function closedFields(shape: Shape): FieldTable | undefined {
  if (shape.kind === 'either') return shape.of.map(closedFields).find((fields) => fields !== undefined);
  return shape.kind === 'object' && shape.isOpen !== true ? shape.fields : undefined;
}

/** The settings that loading itself uses and checks; policy, permissions and hooks have their own parsers. */
const loadedFields = Object.entries<ConfigField>(SETTINGS_FIELDS).filter(([, { expected }]) => expected !== undefined);

function parseModel(raw: unknown): Settings['model'] {
  if (!fitsShape(SETTINGS_FIELDS.model.shape, raw)) return undefined;
  if (typeof raw === 'string') return { name: raw.trim() };
  const { name, contextTokens, maxTokens, tools } = raw as ModelSetting;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(tools !== undefined && { tools }),
  };
}

/** A number that does not fit has no say, and the other one still holds. */
function parseKept(raw: unknown, { shape }: typeof SETTINGS_FIELDS.sessions | typeof SETTINGS_FIELDS.results) {
  if (!isObject(raw)) return undefined;
  const { days, mb } = shape.fields;
  const kept: SessionsSetting & ResultsSetting = {
    ...(raw['days'] !== undefined && fitsShape(days.shape, raw['days']) && { days: raw['days'] as number }),
    ...(raw['mb'] !== undefined && fitsShape(mb.shape, raw['mb']) && { mb: raw['mb'] as number }),
  };
  return kept;
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
