import { join } from 'node:path';
import { isObject } from '../../base/json.js';
import { nameWord } from '../../base/shell-word.js';
import { readDocument } from '../../config/document.js';
import type { FindPlace } from '../../config/entries/entry-place.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { isEditable } from '../../config/edit/manage.js';
import type { HostConfig } from '../../config/load.js';
import { localFile } from '../../config/scopes/local.js';
import { userFile } from '../../config/scopes/user.js';
import { serverSpellings } from '../../model/permissions/subject.js';
import type { AdviceEdit, AdviceStep } from '../../model/value/server-value.js';
import type { ShownBlock } from '../../model/value/shown-block.js';
import type { ServerTally } from '../../model/value/value-tally.js';
import type { Verdict } from '../../model/value/verdict.js';

/** What a step is written for. */
export interface StepPlace {
  readonly server: ConfiguredServer;
  readonly loaded: HostConfig;
  readonly placeOf: FindPlace;
}

/** How the user switches the server off. Undefined where no file of the user can. */
export async function disabling(place: StepPlace, saves: number): Promise<AdviceStep | undefined> {
  const { server, loaded } = place;
  const step = { kind: 'disable', saves } as const;
  const entry = await entryEdit(place, { write: '"disabled": true' });
  const command = `plugboard disable ${nameWord(server.name)}`;
  // The command changes no entry of the command line.
  if (entry) return { ...step, edits: [entry], ...(server.scope !== 'dynamic' && { command }) };
  if (server.scope === 'dynamic') return { ...step, edits: [], note: `Leave it out of ${server.origin}` };
  if (loaded.lock !== undefined || server.scope === 'enterprise') {
    const spelling = serverSpellings(server.name).at(-1)!;
    // A rule for this one would hide another server, too.
    const isShared = loaded.servers.some(
      ({ name }) => name !== server.name && serverSpellings(name).includes(spelling),
    );
    const edit = isShared ? undefined : await denyEdit(place, [`mcp__${spelling}`]);
    return edit && { ...step, edits: [edit], note: 'Your administrator has the entry; this rule of yours hides it' };
  }
  const file = fileOf(loaded, server.scope === 'project' || server.scope === 'local' ? 'local' : 'user');
  const edit = file === undefined ? undefined : await listEdit(file, ['disabledMcpServers'], [server.name]);
  return edit && { ...step, edits: [edit], command };
}

export interface NarrowingOptions {
  readonly verdict: Extract<Verdict, { readonly kind: 'unused-tools' }>;
  readonly tally: ServerTally;
  readonly saves: number;
}

/** How the user has only those tools shown that are used. Undefined where their names are not known. */
export async function narrowing(place: StepPlace, options: NarrowingOptions): Promise<AdviceStep | undefined> {
  const { verdict, tally, saves } = options;
  const shown = [...(tally.last?.server.tools ?? [])];
  const kept = shown.filter(([name]) => !verdict.unused.includes(name)).map(([, { own }]) => own);
  const step = { kind: 'narrow', saves } as const;
  if (kept.every((own) => own !== undefined)) {
    const edit = await entryEdit(place, { write: `"includeTools": ${listText(kept.toSorted())}` });
    if (edit) return { ...step, edits: [edit], note: 'Tools that the server adds later are left out as well' };
  }
  // A rule for a tool `two` of `a` would hide a server `a__two`, too.
  const others = place.loaded.servers.map(({ name }) => `mcp__${name}`);
  if (verdict.unused.length > RULES_LIMIT || verdict.unused.some((name) => others.includes(name))) return undefined;
  const edit = await denyEdit(place, verdict.unused);
  return edit && { ...step, edits: [edit], note: 'Denied tools are hidden from models, and cannot be called' };
}

export interface DeferringOptions {
  /** What this way saves. */
  readonly saves: (toolSearch: ShownBlock['toolSearch']) => number;
  /** The setting in force. */
  readonly toolSearch: ShownBlock['toolSearch'];
}

/** How the user has the model search for the server's tools. The fewest edits that have an effect. */
export async function deferring(
  place: StepPlace,
  { saves, toolSearch }: DeferringOptions,
): Promise<AdviceStep | undefined> {
  const isPinned = place.server.config?.alwaysLoad === true;
  const unpinned = isPinned ? await entryEdit(place, { remove: '"alwaysLoad"' }) : undefined;
  if (isPinned && !unpinned) return undefined;
  const alone = saves(toolSearch);
  if (unpinned && alone > 0) return { kind: 'defer', saves: alone, edits: [unpinned] };
  const all = saves('always');
  const setting = toolSearch === 'always' ? undefined : await searchEdit(place.loaded);
  if (!setting) return undefined;
  const edits = unpinned ? [unpinned, setting] : [setting];
  return { kind: 'defer', saves: all, edits, isOfAll: true, note: 'The tools of all servers are searched for then' };
}

/** A change of the server's entry, where it is in a file that the user writes. */
async function entryEdit(
  { server, placeOf }: StepPlace,
  edit: Pick<AdviceEdit, 'write' | 'remove'>,
): Promise<AdviceEdit | undefined> {
  const { scope, accountOf, name } = server;
  // A shared file is not only this user's, and a change of it has to be approved again.
  const isOwn = (isEditable(scope) && scope !== 'project') || scope === 'dynamic';
  if (!isOwn || accountOf !== undefined) return undefined;
  const field = /^"(\w+)"/u.exec(edit.remove ?? edit.write ?? '')?.[1];
  const isThere = field !== undefined && server.written !== undefined && Object.hasOwn(server.written, field);
  const found = (isThere && (await placeOf(server, field))) || (await placeOf(server));
  const replaces = isThere && edit.write !== undefined;
  return (
    found && {
      file: found.file,
      line: found.line,
      path: `mcpServers.${name}`,
      ...edit,
      ...(replaces && { replaces: true as const }),
    }
  );
}

/** `settings.toolSearch`, where it is set or can be. Undefined where something stronger has it. */
async function searchEdit({ context }: HostConfig): Promise<AdviceEdit | undefined> {
  const { options, places } = context;
  if (has(options.settings)) return undefined;
  for (const folder of places.managed) {
    const managed = await valueOf(join(folder, 'managed-settings.json'));
    if (has(managed) || has(isObject(managed) ? managed['settings'] : undefined)) return undefined;
  }
  const local = localFile(context);
  const isLocal = local !== undefined && has((await valueOf(local))?.['settings']);
  const file = isLocal ? local : userFile(context);
  if (file === undefined) return undefined;
  return fieldEdit(file, ['settings', 'toolSearch'], '"always"');
}

function has(settings: unknown): boolean {
  return isObject(settings) && settings['toolSearch'] !== undefined;
}

/** Rules of the user that hide tools. */
async function denyEdit({ loaded }: StepPlace, rules: readonly string[]): Promise<AdviceEdit | undefined> {
  const file = userFile(loaded.context);
  return file === undefined ? undefined : listEdit(file, ['settings', 'permissions', 'deny'], rules);
}

/** A list of a file with more in it. */
async function listEdit(file: string, path: readonly string[], more: readonly string[]): Promise<AdviceEdit> {
  let value: unknown = await valueOf(file);
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  const before = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  return fieldEdit(file, path, listText([...new Set([...before, ...more])]));
}

/** A field of a file, with the objects around it that are not there yet. */
async function fieldEdit(file: string, path: readonly string[], text: string): Promise<AdviceEdit> {
  const reading = await readDocument(file);
  if (reading.kind !== 'document') {
    return {
      file,
      path: '',
      write: nested(path, text),
      ...(reading.kind === 'absent' && { isNewFile: true as const }),
    };
  }
  let value: unknown = reading.document.value;
  const there: string[] = [];
  for (const key of path.slice(0, -1)) {
    value = isObject(value) ? value[key] : undefined;
    if (!isObject(value)) break;
    there.push(key);
  }
  // The field itself, or the object that it goes into.
  const isSet = there.length === path.length - 1 && isObject(value) && value[path.at(-1)!] !== undefined;
  const place = isSet ? path : there;
  const found = place.length === 0 ? undefined : await reading.document.placeOf(place);
  return {
    file,
    ...(found && { line: found.line }),
    path: there.join('.'),
    write: nested(path.slice(there.length), text),
    ...(isSet && { replaces: true as const }),
  };
}

/** `"settings": { "toolSearch": "always" }` */
function nested([key = '', ...inner]: readonly string[], text: string): string {
  return `"${key}": ${inner.length === 0 ? text : `{ ${nested(inner, text)} }`}`;
}

function fileOf({ context }: HostConfig, scope: 'local' | 'user'): string | undefined {
  return scope === 'local' ? localFile(context) : userFile(context);
}

async function valueOf(file: string): Promise<{ readonly [key: string]: unknown } | undefined> {
  const reading = await readDocument(file);
  return reading.kind === 'document' ? reading.document.value : undefined;
}

function listText(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}

const RULES_LIMIT = 20; // a longer list nobody writes by hand
