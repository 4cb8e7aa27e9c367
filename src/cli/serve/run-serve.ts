import type { LoadedConfig } from '../../actions/action-place.js';
import { hostOpener } from '../../actions/open-host.js';
import { onAbort } from '../../base/on-abort.js';
import type { ListeningGateway, OpenGateway } from '../../gateway/index.js';
import type { Host } from '../../index.js';
import { showLine } from '../../model/show.js';
import type { Invocation } from '../input/arguments.js';
import { usageError } from '../input/usage-error.js';
import type { Io } from '../io.js';
import { safeJson } from '../output/envelope.js';
import { toMs } from '../output/milliseconds.js';
import { fileNotes, loadRun } from '../start/load.js';
import { loadToStart } from '../start/load-to-start.js';
import type { Outcome } from '../verb.js';
import { clientLines } from './client-lines.js';
import { readServeFlags, type ServeFlags } from './serve-flags.js';

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
  if (flags.http) await serveHttp(gateway, { flags, io, log });
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
  return host;
}

async function serveHttp(gateway: OpenGateway, { flags, io, log }: Serving): Promise<void> {
  const { http } = flags;
  if (!http) return;
  const onRequest = log.hasRequests ? log.request.bind(log) : undefined;
  await using listening = await gateway.listen({ ...http, onRequest });
  log.ready(listening);
  await interruptionOf(io);
  log.warn('note: no new sessions; requests in flight have 30 s to end');
  await listening.drain(DRAIN_MS);
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

/** What is told on stderr while a gateway runs, a line each; never the content of a request. */
class ServeLog {
  readonly #io: Io;
  readonly #flags: ServeFlags;
  readonly #isJson: boolean;
  readonly #isQuiet: boolean;

  constructor(io: Io, flags: ServeFlags, invocation: Invocation) {
    this.#io = io;
    this.#flags = flags;
    this.#isJson = invocation.has('json');
    this.#isQuiet = invocation.has('quiet');
  }

  get hasRequests(): boolean {
    return this.#flags.level === 'info';
  }

  warn(line: string): void {
    if (this.#flags.level !== 'error') this.#write(showLine(line));
  }

  request(handled: { method: string; path: string; status: number; ms: number; requestId: string }): void {
    const { method, path, status, ms, requestId } = handled;
    const took = Math.round(ms);
    if (this.#isJson) return this.#write(safeJson({ method, path, status, ms: took, requestId }));
    return this.#write(showLine(`${method} ${path} ${status} ${took} ms ${requestId}`));
  }

  /** Where clients find the gateway, and what they need. */
  ready({ url, key, keyFile }: ListeningGateway): void {
    if (this.#isJson) this.#io.stdout.write(`${safeJson({ url, ...(keyFile !== undefined && { keyFile }) })}\n`);
    if (this.#isQuiet) return;
    this.#write(`Serving on ${url}`);
    if (this.#isJson) return;
    if (keyFile !== undefined) this.#write(`Clients need the key in ${keyFile}`);
    if (key === undefined) this.#write(OPEN);
    for (const line of clientLines(url, key)) this.#write(line);
  }

  #write(line: string): void {
    this.#io.stderr.write(`${line}\n`);
  }
}

const OPEN =
  'warning: every account of this machine, and every server that has network, can reach this port and use what your rules allow';
const DRAIN_MS = 30_000;
