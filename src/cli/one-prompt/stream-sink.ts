import type { AgentDefinition, Session, SessionEvent } from '../../session/index.js';
import { HostError } from '../../base/errors.js';
import { toHostError } from '../../base/to-host-error.js';
import { modeFor, type PermissionMode } from '../../model/permissions/settings.js';
import type { Host } from '../../index.js';
import { toDriverMode } from '../input/driver/mode-words.js';
import { safeJson } from '../output/envelope.js';
import type { Io } from '../io.js';
import type { RunControl } from '../start/run-control.js';
import { toInit } from './init-line.js';
import { toResultLine } from './result-line.js';
import { StreamLines } from './stream-lines.js';
import type { TurnEnd } from './turn-end.js';

export interface StreamSinkOptions {
  readonly io: Io;
  readonly control: RunControl;
  readonly session: () => Session | undefined;
  readonly isPartial: boolean;
  /** Whether the program on stdin was asked about this call. */
  readonly isAsked?: (callId: string) => boolean;
  /** Called when stdout has no reader any more: the model would be asked for nothing. */
  readonly lost: (error: HostError) => void;
}

export interface Beginning {
  readonly cwd: string;
  readonly agents: readonly AgentDefinition[];
  /** Commands besides the prompts of servers; none by default. */
  readonly commands?: readonly { readonly name: string }[];
}

/** stdout as stream-json, one line for each message; the control messages may share the stream. */
export class StreamSink {
  readonly #options: StreamSinkOptions;
  readonly #lines: StreamLines;
  #isLost = false;
  /** The init line of this turn, until something else is written of it: hooks of the prompt come before it. */
  #init: object | undefined;

  constructor(options: StreamSinkOptions) {
    this.#options = options;
    this.#lines = new StreamLines({
      model: () => options.session()?.model,
      sessionId: () => options.session()?.id ?? '',
      isPartial: options.isPartial,
      now: () => performance.now(),
      isAsked: options.isAsked,
      write: (line, isSpare) => this.#write(line, isSpare),
    });
  }

  /** Called before a turn. */
  async begin({ cwd, agents, commands = [] }: Beginning): Promise<void> {
    const session = this.#options.session();
    if (!session) return;
    const { env } = this.#options.io;
    const mode = modeOf(session.host);
    this.#init = await toInit({ session, cwd, mode, agents: namesOf(agents), commands: namesOf(commands), env });
  }

  event(event: SessionEvent): void {
    this.#writeInit();
    this.#lines.event(event);
  }

  /** Tells the permission mode, which has changed. */
  mode(host: Host): void {
    this.write({ type: 'system', subtype: 'status', status: null, permissionMode: toDriverMode(modeOf(host)) });
  }

  /** A line for people who watch; `tag`: for programs. */
  tell(content: string, tag: string): void {
    this.#lines.tell(content, tag, 'warning');
  }

  end(turn: TurnEnd): void {
    this.#writeInit();
    this.write(toResultLine({ ...turn, model: this.#options.session()?.model }));
  }

  #writeInit(): void {
    const line = this.#init;
    this.#init = undefined;
    if (line) this.write(line);
  }

  write(line: object): void {
    this.#lines.write(line);
  }

  #write(line: object, isSpare: boolean): void {
    const { io, control, lost } = this.#options;
    const { channel } = control;
    if (this.#isLost) return;
    try {
      if (channel?.isOpen !== true) io.stdout.write(`${safeJson(line)}\n`);
      else if (!isSpare || channel.backlog < SPARE_BACKLOG) channel.write(safeJson(line));
      if (io.stdout.isClosed !== true) return;
      throw new HostError('write-failed', 'The program that read stdout is gone');
    } catch (cause) {
      this.#isLost = true;
      lost(toHostError(cause, 'The answer cannot be written', { code: 'write-failed', reason: '' }));
    }
  }
}

/** The mode for all servers, as it is now. */
function modeOf(host: Host): PermissionMode {
  return modeFor(host.permissionSettings)?.mode ?? 'default';
}

function namesOf(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(({ name }) => name);
}

const SPARE_BACKLOG = 1_000_000;
