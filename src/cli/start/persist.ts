import { perform } from '../../actions/perform.js';
import { add } from '../../actions/servers/add.js';
import type { Entry } from '../../actions/arguments.js';
import { HostError } from '../../base/errors.js';
import { showLine, showName } from '../../model/show.js';
import type { Invocation } from '../input/arguments.js';
import { isUrl } from '../input/ad-hoc.js';
import { scopeOf } from '../input/options.js';
import { usageError } from '../input/usage-error.js';
import { exitCodes } from '../io.js';
import type { Outcome, ProgramRun } from '../verb.js';
import { loadRun, openRun, writtenNotes } from './load.js';
import { programContext } from './program-context.js';

/** The server of the command line, with its name. */
export interface GivenServer {
  readonly name: string;
  readonly entry: Entry;
}

/**
 * With `--persist`: keeps the server of the command line after the command has worked. Checks first that it can be
 * kept, before anything is started. Undefined without the flag. Rejects with a `HostError`.
 */
export async function preparePersist(
  run: ProgramRun,
  given: GivenServer | undefined,
): Promise<((outcome: Outcome) => Promise<Outcome>) | undefined> {
  const { invocation, io } = run;
  if (!invocation.has('persist')) return undefined;
  if (!given) throw nothingToKeep(invocation);
  const name = invocation.value('persist') || given.name;
  const { servers } = await loadRun(invocation, io);
  const there = servers.find((server) => server.name === name);
  if (there) {
    throw new HostError('server-exists', `MCP server ${name} already exists in ${there.scope} config`, {
      hint: `Give it another name: --persist NAME, or run: plugboard remove ${showName(name)}`,
    });
  }
  const config = await openRun(invocation, io);
  const place = { kind: 'files', config, load: () => loadRun(invocation, io) } as const;
  const keep = (dryRun: boolean): ReturnType<typeof perform> => {
    const args = { server: name, entry: given.entry, scope: scopeOf(invocation), dryRun };
    return perform(
      add,
      place,
      args,
      programContext(run, () => new AbortController().signal),
    );
  };
  await keep(true);
  return async (outcome) => {
    if ((outcome.exitCode ?? exitCodes.done) !== exitCodes.done) {
      return withNote(outcome, `Not kept: the command failed. To keep it anyway: plugboard add ${showName(name)} ...`);
    }
    const { json, told } = await keep(false);
    const { file, scope } = json as { readonly file: string; readonly scope: string };
    const kept = withNote(outcome, showLine(`Kept as "${name}" in ${scope} config: ${file}`));
    const notes = [...(kept.notes ?? []), ...writtenNotes(told.notes ?? [], run)];
    return { ...kept, notes, data: { ...outcome.data, persisted: { server: name, scope, file } } };
  };
}

function withNote(outcome: Outcome, note: string): Outcome {
  return { ...outcome, notes: [...(outcome.notes ?? []), note] };
}

function nothingToKeep({ verb, positionals }: Invocation): HostError {
  const example = positionals.find((word) => !isUrl(word)) ?? '';
  return usageError('--persist keeps a server that is given as a URL or as a command after --', {
    hint: `plugboard ${[verb.name, example].filter((word) => word !== '').join(' ')} --persist NAME -- COMMAND`,
  });
}
