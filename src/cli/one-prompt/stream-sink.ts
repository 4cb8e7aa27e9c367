import type { AgentDefinition, Session, SessionEvent } from '../../session/index.js';
import { HostError } from '../../base/errors.js';
import { toHostError } from '../../base/to-host-error.js';
import type { PermissionSettings } from '../../model/permissions/settings.js';
import { modeFor } from '../../model/permissions/settings.js';
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
  /** Called when stdout has no reader any more: the model would be asked for nothing. */
  readonly lost: (error: HostError) => void;
}

export interface Beginning {
  readonly cwd: string;
  readonly settings: PermissionSettings;
  readonly agents: readonly AgentDefinition[];
}

/** stdout as stream-json, one line for each message; the control messages may share the stream. */
export class StreamSink {
  readonly #options: StreamSinkOptions;
  readonly #lines: StreamLines;
  #isLost = false;
  /** The last init line; a new one is written only when it differs. */
  #init = '';

  constructor(options: StreamSinkOptions) {
    this.#options = options;
    this.#lines = new StreamLines({
      model: () => options.session()?.model,
      sessionId: () => options.session()?.id ?? '',
      isPartial: options.isPartial,
      write: (line, isSpare) => this.#write(line, isSpare),
    });
  }

  /** Called before a turn. */
  async begin({ cwd, settings, agents }: Beginning): Promise<void> {
    const session = this.#options.session();
    if (!session) return;
    const mode = modeFor(settings, undefined)?.mode ?? 'default';
    const line = await toInit({ session, cwd, mode, agents: agents.map(({ name }) => name) });
    const text = JSON.stringify(line);
    if (text === this.#init) return;
    this.#init = text;
    this.write(line);
  }

  event(event: SessionEvent): void {
    this.#lines.event(event);
  }

  end(turn: TurnEnd): void {
    this.write(toResultLine(turn));
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

const SPARE_BACKLOG = 1_000_000;
