import { HostError } from '../../base/errors.js';
import type { ImportSource } from '../../config/import.js';
import type { EditableScope } from '../../config/manage.js';
import { describeProblem } from '../../config/problem.js';
import type { TakenEntry } from '../../config/take-over.js';
import { loadRun, openRun, problemNotes, sharedSecretNotes } from '../load.js';
import { dryRunOption, scopeOption } from '../options.js';
import { showLine } from '../../model/show.js';
import type { Outcome, Run, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const importServers: Verb = {
  name: 'import',
  usage: '[HOST ...] [--all] [--link] [--file FILE] [-s SCOPE] [--dry-run]',
  summary: "Take over other hosts' servers, or link their files",
  options: [
    { name: 'all', summary: 'from every host that has servers' },
    { name: 'link', summary: 'read the files live instead of copying them' },
    { name: 'unlink', summary: 'do not read them live any more' },
    { name: 'file', value: 'FILE', summary: "this file instead of the host's usual ones" },
    scopeOption,
    dryRunOption,
  ],
  completes: 'host',
  examples: [
    'plugboard import',
    'plugboard import cursor --dry-run',
    'plugboard import claude-code codex',
    'plugboard import vscode --link',
  ],
  async run(invocation, io) {
    const { findImports } = await import('../../config/import.js');
    const context = await openRun(invocation, io);
    const file = invocation.value('file');
    const found =
      invocation.positionals.length > 0 ? [] : await findImports(context, file === undefined ? {} : { file });
    const withServers = [...new Set(found.filter(({ entries }) => entries.length > 0).map(({ host }) => host))];
    const hosts = invocation.positionals.length > 0 ? invocation.positionals : withServers;
    if (invocation.positionals.length === 0 && !invocation.has('all') && !(file !== undefined && hosts.length === 1)) {
      if (invocation.has('link')) throw usageError('--link needs a host', { hint: 'plugboard import cursor --link' });
      return showFound(found, { invocation, io });
    }
    if (invocation.has('unlink')) return unlink(hosts, { invocation, io });
    return invocation.has('link') ? link(hosts, { invocation, io }) : copy(hosts, { invocation, io });
  },
};

function showFound(found: readonly ImportSource[], { invocation, io }: Run): Outcome {
  const data = {
    sources: found.map(({ host, title, file, level, entries, problems }) => ({
      host,
      title,
      file,
      level,
      servers: entries.map(({ name }) => name),
      problems,
    })),
  };
  const notes = problemNotes(
    found.flatMap(({ problems }) => problems),
    { invocation, io },
  );
  if (found.length === 0) return { data, text: 'No files of other hosts were found', notes };
  const names = found.flatMap(({ entries }) => entries.map(({ name }) => name));
  const lines = found.map(({ title, host, file, entries }) => {
    const servers = entries.map(({ name }) => showLine(name)).join(', ');
    return `  ${title} (${host}): ${showLine(file)}\n    ${entries.length === 0 ? 'no servers' : servers}`;
  });
  const heading = `Found ${found.length} files with ${names.length} servers, ${names.length - new Set(names).size} of them twice:`;
  const next =
    'To take them over: plugboard import HOST, or --all; add --dry-run to see it first, --link to read them live';
  return { data, text: [heading, ...lines, '', next].join('\n'), notes };
}

async function copy(hosts: readonly string[], { invocation, io }: Run): Promise<Outcome> {
  const { takeOver } = await import('../../config/take-over.js');
  const scope = invocation.value('scope') as EditableScope | undefined;
  const file = invocation.value('file');
  const dryRun = invocation.has('dry-run');
  const { taken, problems, sources, edits } = await takeOver(await openRun(invocation, io), {
    hosts,
    ...(scope && { scope }),
    ...(file !== undefined && { file }),
    dryRun,
  });
  const broken = problems.find(({ severity }) => severity === 'error');
  if (file !== undefined && taken.length === 0 && broken) {
    throw new HostError('config-unreadable', describeProblem(broken), { hint: broken.hint });
  }
  const added = taken.filter(({ result }) => result === 'added');
  const { showDiff } = await import('../../config/show-diff.js');
  const diff = edits.map((edit) => showDiff(edit, { reveal: invocation.has('reveal') })).join('\n');
  const summary =
    taken.length === 0
      ? `No servers of ${hosts.join(', ')} were found`
      : `${dryRun ? 'Would import' : 'Imported'} ${added.length} of ${taken.length} servers`;
  return {
    data: {
      servers: taken,
      sources: sources.map(({ host, file: from }) => ({ host, file: from })),
      problems,
      ...(dryRun && { dryRun, diff }),
    },
    text: [
      ...taken.flatMap(describe),
      summary,
      ...(dryRun ? [diff] : edits.map((edit) => showLine(`File modified: ${edit.file}`))),
    ].join('\n'),
    notes: [...problemNotes(problems, { invocation, io }), ...(await importNotes(added, { invocation, io }))],
  };
}

/** What went into a shared file: secrets in it, and that it waits for approval. */
async function importNotes(added: readonly TakenEntry[], { invocation, io }: Run): Promise<string[]> {
  if (invocation.has('dry-run') || !added.some(({ scope }) => scope === 'project')) return [];
  const { servers } = await loadRun(invocation, io);
  const shared = servers.filter(({ name, scope }) => scope === 'project' && added.some((entry) => entry.name === name));
  const waits = shared.some(({ standing }) => standing.kind === 'unapproved');
  return [
    ...(await sharedSecretNotes(shared)),
    ...(waits ? ['They run once they are approved: plugboard approve'] : []),
  ];
}

function describe({ name, host, scope, result, reason, lost, notes, target }: TakenEntry): string[] {
  const words = {
    added: `✔ ${scope} config`,
    same: '○ there already',
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

async function unlink(hosts: readonly string[], { invocation, io }: Run): Promise<Outcome> {
  const { unlinkHosts } = await import('../../config/take-over.js');
  const { editOutcome } = await import('../edit-outcome.js');
  const context = await openRun(invocation, io);
  const edit = await unlinkHosts(context, { hosts, dryRun: invocation.has('dry-run') });
  const done = edit.changed ? `Unlinked ${hosts.join(', ')}` : `${hosts.join(', ')} is not linked`;
  const edits = edit.changed ? [edit] : [];
  return editOutcome({ invocation, io, config: context, server: hosts.join(', '), scope: 'linked', edits, done });
}

async function link(hosts: readonly string[], { invocation, io }: Run): Promise<Outcome> {
  const { linkHosts } = await import('../../config/take-over.js');
  const { editOutcome } = await import('../edit-outcome.js');
  const file = invocation.value('file');
  const context = await openRun(invocation, io);
  const edit = await linkHosts(context, {
    hosts,
    ...(file !== undefined && { file }),
    dryRun: invocation.has('dry-run'),
  });
  const edits = edit.before === edit.after ? [] : [edit];
  const done =
    edits.length === 0
      ? `${hosts.join(', ')} is linked already`
      : `Linked ${hosts.join(', ')}: its servers are read live`;
  const outcome = await editOutcome({
    invocation,
    io,
    config: context,
    server: hosts.join(', '),
    scope: 'linked',
    edits,
    done,
  });
  const { findImports } = await import('../../config/import.js');
  const found = await findImports(context, { hosts, ...(file !== undefined && { file }) });
  const remarks = found.flatMap(({ entries }) =>
    entries.flatMap(({ name, lost, notes }) => [
      ...lost.map((loss) => showLine(`${name}: lost: ${loss}`)),
      ...notes.map((note) => showLine(`${name}: note: ${note}`)),
    ]),
  );
  return { ...outcome, notes: [...(outcome.notes ?? []), ...remarks] };
}
