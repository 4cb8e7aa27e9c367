import type { ConfigOptions } from '../context.js';
import { editDistance, nearest } from '../../base/nearest.js';
import { isObject } from '../../base/json.js';
import { hookEvents, type HookSetting, isBlockingEvent } from '../../model/hooks/hook-settings.js';
import { readRule } from '../../model/permissions/rule.js';
import {
  type UnreadableSetting,
  type PermissionMode,
  permissionModes,
  type PermissionSource,
  type RuleList,
  ruleLists,
  toPermissions,
  isWider,
  type WrittenMode,
  type WrittenRule,
} from '../../model/permissions/settings.js';
import type { JsonPath } from '../document.js';
import { parseHooks } from './hook-settings.js';
import { openTextPlaces } from '../edit/json-places.js';
import { joinFlows, parseFlow, type WrittenFlow } from './flow-parse.js';
import type { CallSettings, CallSource, PermissionFlags } from './permissions.js';
import { type Problem, type ProblemCode, toFieldPath } from '../problem.js';
import { showPlace } from '../../model/text/problem-text.js';
import { placeFields, type TextPlace } from '../text-place.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ToolSearchSetting } from '../scope.js';
import { TOOL_BYTES } from '../../model/text/tokens.js';
import { PERMISSION_FIELDS, SETTINGS_FIELDS } from './settings-fields.js';
import { USERS_SETTINGS } from './users-settings.js';

/** The call settings of all files and flags. A malformed setting meant to stop calls makes all be asked about. */
export function parseCallSettings(
  sources: readonly CallSource[],
  {
    permissions: flags,
    isCommandLine,
    widestMode = 'bypass',
  }: Pick<ConfigOptions, 'permissions' | 'isCommandLine' | 'widestMode'>,
): CallSettings {
  const found: Found = {
    rules: [],
    modes: [],
    doubts: [],
    hooks: [],
    flows: [],
    toolSearch: [],
    toolBytes: [],
    problems: [],
  };
  for (const source of sources) {
    if (source.reading.kind === 'broken') parseBroken(source, found);
    else parseDocument(source, source.reading.document, found);
  }
  if (flags) parseFlags(flags, found, isCommandLine === true);
  const { rules, doubts, hooks, flows, toolSearch, toolBytes, problems } = found;
  const modes = found.modes.filter(({ mode }) => !isWider(mode, widestMode));
  for (const written of found.modes) if (!modes.includes(written)) problems.push(toUnused(written));
  return {
    permissions: toPermissions({ rules, modes, doubts }),
    hooks,
    flow: joinFlows(flows),
    toolSearch: toolSearch[0] ?? 'auto',
    toolBytes: toolBytes[0] ?? TOOL_BYTES,
    problems,
  };
}

function toUnused({ mode, server, file, line }: WrittenMode): Problem {
  const whose = server === undefined ? '' : ` of server "${server}"`;
  return {
    severity: 'warning',
    code: 'unused-mode',
    file,
    ...(line !== undefined && { line }),
    message: `the mode ${mode}${whose} is not used: this run may not have one that asks so little`,
    hint: 'Start the run with the flag that permits it, or choose a stricter mode',
  };
}

interface Found {
  readonly rules: WrittenRule[];
  readonly modes: WrittenMode[];
  readonly doubts: UnreadableSetting[];
  readonly hooks: HookSetting[];
  readonly flows: WrittenFlow[];
  readonly toolSearch: ToolSearchSetting[];
  readonly toolBytes: number[];
  readonly problems: Problem[];
}

/** A place in a settings file, with its way to report problems. */
export class SettingsPlace {
  readonly source: PermissionSource;
  readonly file: string;
  readonly isForeign: boolean;
  readonly #path: JsonPath;
  readonly #placeOf: PlaceOf | undefined;
  readonly #found: Found;

  constructor(
    { source, file, isForeign }: Pick<CallSource, 'source' | 'file' | 'isForeign'>,
    { path, placeOf, found }: { path: JsonPath; placeOf: PlaceOf | undefined; found: Found },
  ) {
    this.source = source;
    this.file = file;
    this.isForeign = isForeign;
    this.#path = path;
    this.#placeOf = placeOf;
    this.#found = found;
  }

  get line(): { readonly line?: number } {
    const { line } = this.place;
    return line === undefined ? {} : { line };
  }

  get place(): Partial<TextPlace> {
    return placeFields(this.#placeOf?.(this.#path));
  }

  get field(): string {
    return toFieldPath(this.#path);
  }

  at(...steps: JsonPath): SettingsPlace {
    return new SettingsPlace(this, { path: [...this.#path, ...steps], placeOf: this.#placeOf, found: this.#found });
  }

  tell(message: string, hint: string, { severity = 'error', code = 'malformed' }: Telling = {}): void {
    // A setting for another host is no mistake here.
    if (this.isForeign && severity === 'warning') return;
    const { file, field, place } = this;
    const isFlag = this.source === 'flag';
    this.#found.problems.push({
      severity,
      code: isFlag && severity === 'error' ? 'bad-argument' : code,
      file,
      ...place,
      ...(!isFlag && { field }),
      message,
      hint: this.source === 'administrator' ? `${hint}; ask your administrator` : hint,
    });
  }

  /** Records a malformed setting meant to stop calls: every call is asked about, or denied if an administrator's. */
  doubt(message: string): void {
    const { file, line, place, source, field } = this;
    const reason = `${showPlace(file, place)}: ${field} ${message}`;
    this.#found.doubts.push({ behavior: source === 'administrator' ? 'deny' : 'ask', reason, file, ...line });
  }
}

type PlaceOf = (path: JsonPath) => TextPlace;

interface Telling {
  readonly severity?: Problem['severity'];
  readonly code?: ProblemCode;
}

type Document = Extract<CallSource['reading'], { readonly kind: 'document' }>['document'];

function parseDocument(source: CallSource, { text, value }: Document, found: Found): void {
  const top = new SettingsPlace(source, { path: [], placeOf: openTextPlaces(text), found });
  // The first of two equal keys would silently be lost.
  const twice = source.reading.kind === 'document' && source.source === 'administrator' ? source.reading.problems : [];
  for (const { code, field } of twice) {
    if (code === 'duplicate-key' && TIGHTENING.has(field ?? '')) top.at(field!).doubt('appears twice');
  }
  const { settings } = value;
  parseBlock(value, top, found);
  if (isObject(settings)) parseBlock(settings, top.at('settings'), found);
}

const TIGHTENING: ReadonlySet<string> = new Set([
  'permissions',
  'deny',
  'ask',
  'mode',
  'hooks',
  'flow',
  ...hookEvents.filter(isBlockingEvent),
]);

/** Parses an object that may have `permissions`, `hooks`, `flow`, `toolSearch` and `toolBytes`. */
function parseBlock(block: RawEntry, place: SettingsPlace, found: Found): void {
  const isProject = place.source === 'project';
  if (Object.hasOwn(block, 'permissions')) parsePermissions(block['permissions'], place.at('permissions'), found);
  if (Object.hasOwn(block, 'hooks') && !place.isForeign) {
    if (isProject) ignore(place.at('hooks'), 'hooks');
    else found.hooks.push(...parseHooks(block['hooks'], place.at('hooks')));
  }
  if (Object.hasOwn(block, 'flow') && !place.isForeign) {
    if (isProject) ignore(place.at('flow'), 'what may leave a conversation');
    else found.flows.push(...[parseFlow(block['flow'], place.at('flow'))].filter((flow) => flow !== undefined));
  }
  if (place.isForeign) return;
  if (block['toolSearch'] !== undefined) parseToolSearch(block['toolSearch'], place.at('toolSearch'), found);
  if (block['toolBytes'] !== undefined) parseToolBytes(block['toolBytes'], place.at('toolBytes'), found);
  for (const [name, what] of isProject ? Object.entries(USERS_SETTINGS) : []) {
    if (Object.hasOwn(block, name)) ignore(place.at(name), what, 'Put it into your user settings');
  }
}

function parseToolSearch(wanted: unknown, place: SettingsPlace, found: Found): void {
  const known = TOOL_SEARCH.find((word) => word === wanted);
  if (place.source === 'project') ignore(place, 'how tools are found');
  else if (known) found.toolSearch.push(known);
  else place.tell(`expected one of ${TOOL_SEARCH.join(', ')}`, 'Write "toolSearch": "auto"');
}

function parseToolBytes(wanted: unknown, place: SettingsPlace, found: Found): void {
  const { min, max } = SETTINGS_FIELDS.toolBytes.shape;
  const isFit = typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= min && wanted <= max;
  if (place.source === 'project') ignore(place, 'the room for tools in a request');
  else if (isFit) found.toolBytes.push(wanted);
  else place.tell(`expected a whole number from ${min} to ${max}`, `Write "toolBytes": ${TOOL_BYTES}`);
}

const TOOL_SEARCH = SETTINGS_FIELDS.toolSearch.shape.words;

function parsePermissions(raw: unknown, place: SettingsPlace, found: Found): void {
  if (!isObject(raw)) {
    place.tell('expected an object with mode, allow, ask, deny or servers', 'Write "permissions": { "deny": [] }');
    place.doubt('is not an object');
    return;
  }
  for (const key of Object.keys(raw)) if (!FIELDS.includes(key)) tellUnknown(key, place.at(key));
  for (const list of ruleLists) if (Object.hasOwn(raw, list)) parseList(raw[list], list, place.at(list), found);
  if (place.isForeign) return;
  const { mode, servers } = raw;
  if (mode !== undefined) parseMode(mode, place.at('mode'), (word) => found.modes.push(toMode(word, place.at('mode'))));
  if (servers === undefined) return;
  if (place.source === 'project') ignore(place.at('servers'), 'modes');
  else if (isObject(servers)) parseServers(servers, place.at('servers'), found);
  else
    place
      .at('servers')
      .tell('expected an object of { "mode": "..." }', 'Write "servers": { "name": { "mode": "plan" } }');
}

const FIELDS = Object.keys(PERMISSION_FIELDS);

/** Reports an unknown field; a misspelt `deny` is an error, because its author believes that it stops calls. */
function tellUnknown(key: string, place: SettingsPlace): void {
  const isNo =
    /^(?:den|block|forbid|disallow|ask|confirm)/iu.test(key) || editDistance(key.toLowerCase(), 'deny', 2) <= 1;
  const [close] = key === 'defaultMode' ? ['mode'] : nearest(key, FIELDS);
  const hint = close === undefined ? `Permissions are: ${FIELDS.join(', ')}` : `Did you mean "${close}"?`;
  if (!isNo || place.isForeign) {
    place.tell('is not used', hint, { severity: 'warning', code: 'unknown-field' });
    return;
  }
  place.tell('is not a list of rules', hint);
  place.doubt('is not a list of rules');
}

function parseList(raw: unknown, list: RuleList, place: SettingsPlace, found: Found): void {
  const stops = list !== 'allow';
  if (place.isForeign && !stops) return;
  if (place.source === 'project' && !stops) {
    if (!Array.isArray(raw) || raw.length > 0) ignore(place, 'what is allowed');
    return;
  }
  if (!Array.isArray(raw)) {
    place.tell('expected an array of rules', `Write "${list}": ["mcp__server"]`);
    if (stops) place.doubt('is not an array');
    return;
  }
  let faults = 0;
  for (const [index, text] of raw.entries()) {
    // Rules of another host's file about that host's own tools are ignored.
    if (place.isForeign && !(typeof text === 'string' && text.startsWith('mcp__'))) continue;
    const reading = readRule(text);
    const one = place.at(index);
    if (reading.kind === 'rule') {
      found.rules.push({ text: text as string, list, source: place.source, file: place.file, ...one.line });
      continue;
    }
    if (faults++ < FAULTS_TOLD) one.tell(`the rule ${reading.reason}`, reading.hint);
    if (stops && faults === 1) one.doubt(`is a rule that ${reading.reason}`);
  }
}

const FAULTS_TOLD = 20;

function parseServers(servers: RawEntry, place: SettingsPlace, found: Found): void {
  for (const [server, entry] of Object.entries(servers)) {
    const one = place.at(server);
    const mode = isObject(entry) ? entry['mode'] : undefined;
    if (!isObject(entry) || mode === undefined) one.tell('expected { "mode": "..." }', 'Write { "mode": "plan" }');
    else parseMode(mode, one.at('mode'), (word) => found.modes.push({ ...toMode(word, one.at('mode')), server }));
  }
}

function parseMode(raw: unknown, place: SettingsPlace, take: (mode: PermissionMode) => void): void {
  const mode = permissionModes.find((word) => word === raw);
  if (place.source === 'project') ignore(place, 'modes');
  else if (mode) take(mode);
  else {
    const [close] = nearest(String(raw), permissionModes);
    place.tell(
      `is not one of ${permissionModes.join(', ')}`,
      close === undefined ? 'Write "mode": "default"' : `Did you mean "${close}"?`,
    );
    if (place.source === 'administrator') place.doubt('is not a mode');
  }
}

function toMode(mode: PermissionMode, { source, file, line }: SettingsPlace): WrittenMode {
  return { mode, source, file, ...line };
}

/** Warns that a repository cannot decide this. */
function ignore(place: SettingsPlace, what: string, hint = 'Put it into your user or local settings'): void {
  place.tell(`is ignored: a project file cannot decide about ${what}`, hint, {
    severity: 'warning',
    code: 'ignored-field',
  });
}

/** If a broken file may hold rules, every call is asked about or denied. Other broken files are reported elsewhere. */
function parseBroken({ source, file, reading, isForeign }: CallSource, found: Found): void {
  if (reading.kind !== 'broken' || isForeign) return;
  const { problem, text } = reading;
  if (text !== undefined && source !== 'administrator' && !/\b(?:deny|ask|permissions|hooks|flow)\b/u.test(text))
    return;
  const { message, line } = problem;
  const reason = `${showPlace(file, problem)}: ${message}`;
  const behavior = source === 'administrator' ? 'deny' : 'ask';
  found.doubts.push({ behavior, reason, file, ...(line !== undefined && { line }) });
}

function parseFlags({ mode, ...lists }: PermissionFlags, found: Found, isCommandLine: boolean): void {
  const placeOf = (file: string): SettingsPlace =>
    new SettingsPlace({ source: 'flag', file, isForeign: false }, { path: [], placeOf: undefined, found });
  if (mode !== undefined) {
    const place = placeOf(isCommandLine ? '--permission-mode' : 'permissions.mode');
    parseMode(mode, place, (word) => found.modes.push(toMode(word, place)));
  }
  for (const list of ruleLists) {
    if (lists[list] !== undefined)
      parseList(lists[list], list, placeOf(isCommandLine ? `--${list}` : `permissions.${list}`), found);
  }
}
