import { HostError } from '../../base/errors.js';
import type { ConfigContext } from '../../config/context.js';
import type { Edit } from '../../config/edit/edit-file.js';
import type { ImportSource } from '../../config/edit/import.js';
import type { WrittenImport } from '../../config/edit/write-imports.js';
import { describeProblem } from '../../model/text/problem-text.js';
import { showLine } from '../../model/show.js';
import { usageError } from '../usage-error.js';
import { type Action, defineAction, type Done } from '../action.js';
import { type ActionPlace, configOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { reportEdits } from './edit-report.js';
import { problemNotes, sharedSecretNotes } from './problem-notes.js';
import { dryRunArgument, scopeArgument } from '../shared-arguments.js';
import type { Told, ToldPart } from '../told.js';

const args = {
  hosts: { kind: 'words' },
  all: { kind: 'flag', summary: 'from every host that has servers' },
  link: { kind: 'flag', summary: 'read the files live instead of copying them' },
  unlink: { kind: 'flag', summary: 'stop reading the files live' },
  file: { kind: 'text', value: 'FILE', summary: "this file instead of the host's usual ones" },
  scope: scopeArgument,
  dryRun: dryRunArgument,
} as const;

type Args = ArgsOf<typeof args>;
type Report = Omit<Done, 'outcome'>;

/** Imports servers from other hosts; without a host it lists what other hosts have. */
export const importServers: Action<typeof args, Report> = defineAction({
  name: 'import',
  label: 'import',
  doing: 'importing',
  summary: "Import other hosts' servers, or link their files",
  args,
  needs: 'files',
  async run(on, given, { reveal = false }) {
    const { hosts: named, file } = given;
    const { findImports } = await import('../../config/edit/import.js');
    const found = named.length > 0 ? [] : await findImports(configOf(on), file === undefined ? {} : { file });
    const withServers = [...new Set(found.filter(({ entries }) => entries.length > 0).map(({ host }) => host))];
    const hosts = named.length > 0 ? named : withServers;
    if (named.length === 0 && !given.all && !(file !== undefined && hosts.length === 1)) {
      if (!given.link) return reportFound(found);
      throw usageError('--link needs a host', { hint: 'plugboard import cursor --link' });
    }
    const importing = { ...given, hosts, config: configOf(on), reveal };
    if (given.unlink) return unlink(importing);
    return given.link ? link(importing) : copy(on, importing);
  },
  json: ({ json }) => json,
  tell: ({ told }) => told,
});

interface Importing extends Args {
  readonly config: ConfigContext;
  readonly reveal: boolean;
}

function reportFound(found: readonly ImportSource[]): Report {
  const sources = found.map(({ host, title, file, level, entries, problems }) => ({
    host,
    title,
    file,
    level,
    servers: entries.map(({ name }) => name),
    problems,
  }));
  const notes = problemNotes(found.flatMap(({ problems }) => problems));
  const lines = found.length === 0 ? ['No files of other hosts were found'] : foundLines(found);
  return { json: { sources }, told: { tone: 'note', parts: lines.map(sentence), notes } };
}

function foundLines(found: readonly ImportSource[]): readonly string[] {
  const names = found.flatMap(({ entries }) => entries.map(({ name }) => name));
  return [
    `Found ${found.length} files with ${names.length} servers, ${names.length - new Set(names).size} of them twice:`,
    ...found.flatMap(({ title, host, file, entries }) => [
      `  ${title} (${host}): ${showLine(file)}`,
      `    ${entries.length === 0 ? 'no servers' : entries.map(({ name }) => showLine(name)).join(', ')}`,
    ]),
    '',
    'To import them: plugboard import HOST, or --all; add --dry-run to see the changes first, --link to read the files live',
  ];
}

async function copy(on: ActionPlace, importing: Importing): Promise<Report> {
  const { config, hosts, file, scope, dryRun, reveal } = importing;
  const { writeImports } = await import('../../config/edit/write-imports.js');
  const { taken, problems, sources, edits } = await writeImports(config, {
    ...onlyGiven({ hosts, file }),
    ...(scope && { scope }),
    dryRun,
  });
  const broken = problems.find(({ severity }) => severity === 'error');
  if (file !== undefined && taken.length === 0 && broken) {
    throw new HostError('config-unreadable', describeProblem(broken), { hint: broken.hint });
  }
  const added = taken.filter(({ result }) => result === 'added');
  const { showDiff } = await import('../../config/show-diff.js');
  const diff = edits.map((edit) => showDiff(edit, { reveal })).join('\n');
  const summary =
    taken.length === 0
      ? `No servers of ${hosts.join(', ')} were found`
      : `${dryRun ? 'Would import' : 'Imported'} ${added.length} of ${taken.length} servers`;
  return {
    json: {
      servers: taken,
      sources: sources.map(({ host, file: from }) => ({ host, file: from })),
      problems,
      ...(dryRun && { dryRun, diff }),
    },
    told: {
      tone: dryRun ? 'note' : 'done',
      parts: [
        ...[...taken.flatMap(describe), summary].map(sentence),
        dryRun
          ? { kind: 'quote', lines: diff.split('\n') }
          : { kind: 'edits', files: edits.map((edit) => showLine(edit.file)) },
      ],
      notes: [...problemNotes(problems), ...(dryRun ? [] : await sharedNotes(on, added))],
    },
  };
}

/** Notes about entries written to a shared file: secrets in them, and that they wait for approval. */
async function sharedNotes(on: ActionPlace, added: readonly WrittenImport[]): Promise<readonly string[]> {
  if (!added.some(({ scope }) => scope === 'project')) return [];
  const { loadHostConfig } = await import('../../config/load.js');
  const { servers } = await loadHostConfig(configOf(on));
  const shared = servers.filter(({ name, scope }) => scope === 'project' && added.some((entry) => entry.name === name));
  const waits = shared.some(({ standing }) => standing.kind === 'unapproved');
  return [
    ...(await sharedSecretNotes(shared)),
    ...(waits ? ['The servers run once you approve them: plugboard approve'] : []),
  ];
}

function describe({ name, host, scope, result, reason, lost, notes, target }: WrittenImport): readonly string[] {
  const words = {
    added: `✔ ${scope} config`,
    same: '○ already there',
    conflict: '✘ not imported',
    refused: '✘ not imported',
  };
  const why = reason === undefined ? '' : `: ${reason}`;
  return [
    `${showLine(name)} (${host}) ${words[result]}${showLine(why)}`,
    ...(result === 'added' ? [`    ${showLine(target)}`] : []),
    ...lost.map((loss) => `    lost: ${showLine(loss)}`),
    ...notes.map((note) => `    note: ${showLine(note)}`),
  ];
}

async function unlink(importing: Importing): Promise<Report> {
  const { config, hosts, dryRun } = importing;
  const { unlinkHosts } = await import('../../config/edit/write-imports.js');
  const edit = await unlinkHosts(config, { hosts, dryRun });
  const names = hosts.join(', ');
  return reportLink(importing, edit.changed ? [edit] : [], [`Unlinked ${names}`, `${names} is not linked`]);
}

async function link(importing: Importing): Promise<Report> {
  const { config, hosts, file, dryRun } = importing;
  const { linkHosts } = await import('../../config/edit/write-imports.js');
  const { findImports } = await import('../../config/edit/import.js');
  const edit = await linkHosts(config, { ...onlyGiven({ hosts, file }), dryRun });
  const names = hosts.join(', ');
  const sentences = [`Linked ${names}: its servers are read live`, `${names} is linked already`] as const;
  const report = await reportLink(importing, edit.before === edit.after ? [] : [edit], sentences);
  const found = await findImports(config, onlyGiven({ hosts, file }));
  const remarks = found.flatMap(({ entries }) =>
    entries.flatMap(({ name, lost, notes }) => [
      ...lost.map((loss) => showLine(`${name}: lost: ${loss}`)),
      ...notes.map((note) => showLine(`${name}: note: ${note}`)),
    ]),
  );
  const told: Told = { ...report.told, notes: remarks };
  return { ...report, told };
}

function reportLink(
  { config, hosts, dryRun, reveal }: Importing,
  edits: readonly Edit[],
  [changed, same]: readonly [string, string],
): Promise<Report> {
  const done = edits.length > 0 ? changed : same;
  return reportEdits({ config, server: hosts.join(', '), scope: 'linked', edits, isDryRun: dryRun, reveal, done });
}

function onlyGiven({ hosts, file }: Pick<Args, 'hosts' | 'file'>): { hosts: readonly string[]; file?: string } {
  return { hosts, ...(file !== undefined && { file }) };
}

function sentence(text: string): ToldPart {
  return { kind: 'sentence', text };
}
