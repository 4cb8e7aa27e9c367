import type { LoadedConfig } from '../../actions/action-place.js';
import { hostOpener } from '../../actions/open-host.js';
import { onAbort } from '../../base/on-abort.js';
import type { OpenGateway } from '../../gateway/index.js';
import type { Host } from '../../index.js';
import type { Invocation } from '../input/arguments.js';
import { usageError } from '../input/usage-error.js';
import type { Io } from '../io.js';
import { toMs } from '../output/milliseconds.js';
import { fileNotes, loadRun } from '../start/load.js';
import { loadToStart } from '../start/load-to-start.js';
import type { Outcome } from '../verb.js';
import { readServeFlags, type ServeFlags } from './serve-flags.js';
import { ServeLog } from './serve-log.js';
import { startNotes } from './start-notes.js';

/** `plugboard serve`: until it is interrupted, or on stdio until the client has gone. */
export async function runServe(invocation: Invocation, io: Io): Promise<Outcome> {
  const flags = readServeFlags(invocation);
  const log = new ServeLog(io, flags, invocation);
  // On stdio the client talks where a user would be asked.
  const loaded = await (flags.http ? loadToStart(invocation, io) : loadRun(invocation, io));
  for (const note of fileNotes(loaded, { invocation, io })) log.warn(note);
  await using host = await openServing(loaded, { invocation, io, log });
  const { openGateway } = await import('../../gateway/index.js');
  await using gateway = await openGateway({
    host,
    folder: loaded.context.places.state,
    secretFile: flags.secretFile,
    names: flags.names,
    onProblem: ({ message, hint }) => log.warn(`warning: ${message}${hint === undefined ? '' : `. ${hint}`}`),
  });
  const notes = (): void => {
    for (const note of startNotes({ host, loaded, flags, isTerminal: io.stdin.isTerminal })) log.told(note);
  };
  if (!flags.http) notes();
  if (flags.http) await serveHttp(gateway, { flags, io, log, notes });
  else await serveStreams(gateway, { flags, io });
  return { data: {}, text: '', isStreamed: true };
}

interface Serving {
  readonly flags: ServeFlags;
  readonly io: Io;
  readonly log: ServeLog;
}

async function openServing(
  loaded: LoadedConfig,
  { invocation, io, log }: { readonly invocation: Invocation; readonly io: Io; readonly log: ServeLog },
): Promise<Host> {
  const recording = await io.openRecording?.();
  const open = await hostOpener(loaded);
  const host = open(
    {
      serves: true,
      watch: true,
      ...(io.clock && { ports: { clock: io.clock } }),
      ...(io.embedded && { embedded: io.embedded }),
    },
    {
      tap: recording && ((server, pipe) => recording.tap(server, pipe)),
      timeoutMs: toMs(invocation.value('timeout')),
    },
  );
  host.on('problem', ({ message }) => log.warn(`warning: ${message}`));
  host.on('config', ({ problems }) => log.edited(problems));
  host.on('server', ({ name, after, reason }) => log.server(name, after, reason));
  return host;
}

/** `notes`: says them; above the lines for clients they would be lost. */
async function serveHttp(
  gateway: OpenGateway,
  { flags, io, log, notes }: Serving & { readonly notes: () => void },
): Promise<void> {
  const { http } = flags;
  if (!http) return;
  const onRequest = log.hasRequests ? log.request.bind(log) : undefined;
  await using listening = await gateway.listen({ ...http, onRequest });
  log.ready(listening, http.publicUrl);
  notes();
  await interruptionOf(io);
  await listening.drain(DRAIN_MS, (requests) => {
    const those = requests === 1 ? '1 request in flight has' : `${requests} requests in flight have`;
    log.note(`note: no new sessions; ${those} ${DRAIN_MS / 1000} s to end. Ctrl-C again ends them now`);
  });
}

async function serveStreams(gateway: OpenGateway, { flags, io }: Omit<Serving, 'log'>): Promise<void> {
  const streams = io.openControl?.();
  if (!streams) throw usageError('serve needs stdin and stdout as streams', { hint: 'plugboard serve --http 8931' });
  const { path, query } = flags;
  const serving = gateway.streams({ ...streams, path, query });
  const draining = interruptionOf(io).then(() => serving.drain(DRAIN_MS));
  await Promise.race([serving.ended, draining]);
}

/** Resolves on Ctrl-C or SIGTERM; never without them. */
function interruptionOf({ interrupted }: Io): Promise<void> {
  return new Promise((resolve) => {
    onAbort(interrupted, () => resolve());
    if (interrupted?.aborted === true) resolve();
  });
}

const DRAIN_MS = 30_000;
