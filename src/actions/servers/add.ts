import { HostError } from '../../base/errors.js';
import { MASK } from '../../base/secret.js';
import type { ConfigContext } from '../../config/context.js';
import type { EditableScope } from '../../config/edit/manage.js';
import { showCommand, showLine, showName, showText } from '../../model/show.js';
import { trustCommand, untrustedText } from '../../model/text/untrusted-text.js';
import { usageError } from '../usage-error.js';
import { type Action, defineAction } from '../action.js';
import { configOf } from '../action-place.js';
import type { Entry } from '../arguments.js';
import { type EditReport, reportEdits } from './edit-report.js';
import { problemNotes, sharedSecretNotes } from './problem-notes.js';
import { dryRunArgument, scopeArgument } from '../shared-arguments.js';
import type { ToldNote, ToldPart } from '../told.js';

const where = { scope: scopeArgument, dryRun: dryRunArgument } as const;
const args = { server: { kind: 'server' }, entry: { kind: 'entry' }, ...where } as const;
const jsonArgs = { server: { kind: 'server' }, json: { kind: 'word', noun: 'JSON' }, ...where } as const;

interface NewEntry {
  readonly server: string;
  readonly entry: Entry;
  readonly scope: EditableScope | undefined;
  readonly dryRun: boolean;
}

/** Writes a new entry, and says what command it starts or what URL it reaches. */
export const add: Action<typeof args, EditReport> = defineAction({
  name: 'add',
  label: 'add',
  doing: 'adding',
  summary: 'Add a server to your configuration',
  args,
  needs: 'files',
  async run(on, given, { reveal = false }) {
    const config = configOf(on);
    const { maskEntry } = await import('../../config/edit/mask.js');
    const entry = await toWritten(given, config);
    const target = describeTarget(entry.written, maskEntry);
    const report = await addEntry(config, given, { ...entry, about: ` with ${target}`, reveal });
    const { parts, notes = [] } = report.told;
    const shell = /\$[A-Z_]/u.test(target) ? ['Note: $NAME is not expanded; write ${NAME} for a variable'] : [];
    const headers = given.dryRun ? [] : headerParts(entry.written, maskEntry);
    const told = { parts: [...parts, ...headers], notes: [...notes, ...shell, ...emptyNotes(entry.written)] };
    return { ...report, told: { ...report.told, ...told } };
  },
  json: ({ json }) => json,
  tell: ({ told }) => told,
});

/** Writes a new entry from its JSON text, as people paste it. */
export const addJson: Action<typeof jsonArgs, EditReport> = defineAction({
  name: 'add-json',
  label: 'add from JSON',
  doing: 'adding',
  summary: 'Add a server from its JSON entry (- is stdin)',
  args: jsonArgs,
  needs: 'files',
  async run(on, { json, ...given }, { reveal = false }) {
    const config = configOf(on);
    const entry = await parseEntry(given.server, json);
    const added = { ...given, entry };
    return addEntry(config, added, { ...(await toWritten(added, config)), about: '', reveal });
  },
  json: ({ json }) => json,
  tell: ({ told }) => told,
});

interface Written {
  /** The entry as it is written to the file. */
  readonly written: Entry;
  readonly remarks: readonly string[];
}

/** The entry to write; in user scope with absolute paths, because it applies in every folder. */
async function toWritten({ entry, scope }: NewEntry, { cwd }: ConfigContext): Promise<Written> {
  if (scope !== 'user') return { written: entry, remarks: [] };
  const { toAbsoluteEntry } = await import('../../config/entries/absolute-entry.js');
  const { entry: written, notes: remarks } = toAbsoluteEntry(entry, cwd);
  return { written, remarks };
}

async function addEntry(
  config: ConfigContext,
  { server, scope = 'local', dryRun }: NewEntry,
  { written, remarks, about, reveal }: Written & { readonly about: string; readonly reveal: boolean },
): Promise<EditReport> {
  const { addServer } = await import('../../config/edit/manage.js');
  const edit = await addServer(config, { name: server, entry: written, scope, dryRun });
  const type = typeof written['type'] === 'string' ? written['type'] : 'stdio';
  const label = type === 'stdio' ? type : type.toUpperCase();
  const done = `Added ${label} MCP server ${server}${about} to ${scope} config`;
  const report = await reportEdits({ config, server, scope, edits: [edit], isDryRun: dryRun, reveal, done });
  const notes = [
    ...remarks.map((remark) => showLine(`Note: ${remark}`)),
    ...(dryRun ? [] : await addedNotes(config, { server, file: edit.file })),
  ];
  return { ...report, told: { ...report.told, notes } };
}

/** Warnings about a new entry: unknown fields, unset variables, shared secrets, and why it does not run yet. */
async function addedNotes(
  config: ConfigContext,
  { server, file }: { readonly server: string; readonly file: string },
): Promise<readonly ToldNote[]> {
  const { loadHostConfig } = await import('../../config/load.js');
  const { servers, problems } = await loadHostConfig(config);
  const added = servers.find(({ name, origin }) => name === server && origin === file);
  const standing = added?.standing;
  const state =
    standing?.kind === 'unapproved'
      ? [`The server runs once you approve it: plugboard approve ${showName(server)}`]
      : standing?.kind === 'untrusted'
        ? [showLine(`In this folder the server ${untrustedText(standing)}. Run: ${trustCommand(standing.folder)}`)]
        : standing?.kind === 'suppressed'
          ? [
              `The server does not run here: ${standing.by.scope} config has "${showLine(standing.by.name)}", which comes first`,
            ]
          : [];
  const own = problems.filter((problem) => problem.server === server && problem.file === file);
  return [...problemNotes(own), ...(added ? await sharedSecretNotes([added]) : []), ...state];
}

type MaskEntry = (entry: Entry) => Entry;

/** `command: npx x` or `URL: https://...`, with secrets masked. */
function describeTarget({ command, args: words = [], url }: Entry, maskEntry: MaskEntry): string {
  const shown = maskEntry({ command, args: words, url });
  if (typeof url === 'string') return `URL: ${String(shown['url'])}`;
  return `command: ${showCommand([shown['command'], ...(shown['args'] as unknown[])].map(String))}`;
}

/** The headers with `[REDACTED]` for secrets, as scripts expect it; references to variables as written. */
function headerParts({ headers }: Entry, maskEntry: MaskEntry): readonly ToldPart[] {
  if (headers === undefined) return [];
  const shown = JSON.stringify(maskEntry({ headers })['headers'], undefined, 2).replaceAll(MASK, '[REDACTED]');
  return [{ kind: 'quote', lines: showText(`Headers: ${shown}`).split('\n') }];
}

/** Warns of empty credentials: `-H "Authorization: Bearer $TOKEN"` leaves only `Bearer` without the variable. */
function emptyNotes({ headers, env }: Entry): readonly string[] {
  const fields = Object.entries({ ...(headers as object), ...(env as object) });
  return fields
    .filter(([, value]) => /^(?:(?:Bearer|Basic|Token)\s*)?$/iu.test(String(value)))
    .map(([name]) => showLine(`Note: the value of ${name} is empty; is a variable not set?`));
}

async function parseEntry(server: string, json: string): Promise<Entry> {
  const { parseDocument } = await import('../../config/document.js');
  const { toStored } = await import('../../config/entries/target.js');
  const reading = await parseDocument(json, 'JSON');
  if (reading.kind === 'document') return toStored(unwrap(reading.document.value));
  const why = reading.kind === 'broken' ? reading.problem.message : 'nothing was given';
  throw new HostError('config-invalid', `Invalid configuration for "${server}": ${why}`, {
    hint: `Expected an object such as {"command":"npx","args":["-y","server"]}`,
  });
}

/** Accepts a whole file with one server in it, which people paste most often. */
function unwrap(value: Entry): Entry {
  const servers = value['mcpServers'];
  if (typeof servers !== 'object' || servers === null) return value;
  const inner: unknown[] = Object.values(servers);
  if (inner.length === 1 && typeof inner[0] === 'object' && inner[0] !== null) return inner[0] as Entry;
  throw usageError(`this is a whole file with ${inner.length} servers; add-json takes one`, {
    hint: 'Save it and run: plugboard import --file FILE, or give only the inner object of one server',
  });
}
