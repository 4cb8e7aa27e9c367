import { toAbsoluteEntry } from '../config/absolute-entry.js';
import type { ConfigContext } from '../config/context.js';
import { trustCommand, untrustedText } from '../model/untrusted-text.js';
import { loadConfig } from '../config/load.js';
import { addServer, type EditableScope } from '../config/manage.js';
import { editOutcome } from './edit-outcome.js';
import { openRun, problemNotes, sharedSecretNotes } from './load.js';
import { showLine, showName } from '../model/show.js';
import type { Outcome, Run } from './verb.js';

type Entry = { readonly [field: string]: unknown };

export interface NewEntry {
  readonly name: string;
  readonly entry: Entry;
  readonly context: ConfigContext;
  /** What a person is told of it besides its name. */
  readonly about?: (entry: Entry) => string;
}

/** Writes a new entry into the scope that the flags name. `entry`: as it is written there. */
export async function addEntry(
  run: Run,
  { name, entry: given, context, about = () => '' }: NewEntry,
): Promise<{ readonly entry: Entry; readonly outcome: Outcome; readonly notes: readonly string[] }> {
  const { invocation } = run;
  const scope = (invocation.value('scope') ?? 'local') as EditableScope;
  // One for every folder names its files in full.
  const { entry, notes } = scope === 'user' ? toAbsoluteEntry(given, context.cwd) : { entry: given, notes: [] };
  const edit = await addServer(context, { name, entry, scope, dryRun: invocation.has('dry-run') });
  const type = typeof entry['type'] === 'string' ? entry['type'] : 'stdio';
  const label = type === 'stdio' ? type : type.toUpperCase();
  const done = `Added ${label} MCP server ${name}${about(entry)} to ${scope} config`;
  const outcome = await editOutcome({ ...run, config: context, server: name, scope, edits: [edit], done });
  const added = await addedNotes({ server: name, file: edit.file }, run);
  return { entry, outcome, notes: [...notes.map((note) => showLine(`Note: ${note}`)), ...added] };
}

/** What a new entry makes one hear: fields that nobody knows, variables that are not set, an approval that is needed. */
async function addedNotes(
  { server, file }: { readonly server: string; readonly file: string },
  { invocation, io }: Run,
): Promise<string[]> {
  if (invocation.has('dry-run')) return [];
  const { servers, problems } = await loadConfig(await openRun(invocation, io));
  const added = servers.find(({ name, origin }) => name === server && origin === file);
  const standing = added?.standing;
  const state =
    standing?.kind === 'unapproved'
      ? [`It runs once it is approved: plugboard approve ${showName(server)}`]
      : standing?.kind === 'untrusted'
        ? [showLine(`In this folder it ${untrustedText(standing)}. Run: ${trustCommand(standing.folder)}`)]
        : standing?.kind === 'suppressed'
          ? [`It does not run here: ${standing.by.scope} config has "${showLine(standing.by.name)}", which comes first`]
          : [];
  const own = problems.filter((problem) => problem.server === server && problem.file === file);
  return [...problemNotes(own, { invocation, io }), ...(added ? await sharedSecretNotes([added]) : []), ...state];
}
