import type { JsonObject } from '../../../base/json.js';
import { call } from '../../../actions/calls/call.js';
import { toArgs } from '../../../actions/arguments.js';
import { perform } from '../../../actions/perform.js';
import type { Told } from '../../../actions/told.js';
import { HostError } from '../../../base/errors.js';
import type { Host } from '../../../index.js';
import type { ScreenImage } from '../../../model/screen-image.js';
import { ProgressMeter } from '../../output/progress-meter.js';

/** A call and what became of it, at one moment. */
export type CallContent =
  | {
      readonly kind: 'running';
      readonly seconds: number;
      /** How far the call is: bar, time left, the server's message. */
      readonly progress: readonly string[];
      readonly isStopping: boolean;
    }
  | {
      readonly kind: 'done';
      readonly told: Told;
      /** Notes from before the call, such as what was assumed. */
      readonly notes: readonly string[];
      readonly images: readonly ScreenImage[];
    }
  | { readonly kind: 'failed'; readonly error: HostError; readonly notes: readonly string[] };

export interface PanelCallOptions {
  readonly host: Host;
  readonly now: () => Date;
  /** The name that the model uses. */
  readonly tool: string;
  readonly input: JsonObject;
  /** Arguments that do not fit the tool are sent as they are. */
  readonly isForced: boolean;
  /** Contract: must not throw. */
  readonly onChange: () => void;
}

/** One call that the user has made in the panel, which is its own approval. Disposing of it cancels the call. */
export class PanelCall implements Disposable {
  readonly #options: PanelCallOptions;
  readonly #stopping = new AbortController();
  readonly #began = performance.now();
  readonly #notes: string[] = [];
  readonly #meter = new ProgressMeter();
  #end: Exclude<CallContent, { kind: 'running' }> | undefined;

  constructor(options: PanelCallOptions) {
    this.#options = options;
    void this.#run();
  }

  get isRunning(): boolean {
    return this.#end === undefined;
  }

  get content(): CallContent {
    if (this.#end) return this.#end;
    const ms = performance.now() - this.#began;
    const seconds = Math.floor(ms / 1000);
    return { kind: 'running', seconds, progress: this.#meter.parts(ms), isStopping: this.#stopping.signal.aborted };
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { host, now, tool, input, isForced, onChange } = this.#options;
    const flags = new Map([['args', [JSON.stringify(input)]], ...(isForced ? [['force', ['']] as const] : [])]);
    const values = (flag: string): readonly string[] => flags.get(flag) ?? [];
    const on = { kind: 'host', host, isTransient: false } as const;
    try {
      const { told } = await perform(call, on, toArgs(call.args, { servers: [], words: [tool], values }), {
        now,
        signal: this.#stopping.signal,
        shows: 'screen',
        note: (text) => void this.#notes.push(text),
        watchCall: () => ({
          show: (progress) => {
            this.#meter.take(progress, performance.now() - this.#began);
            onChange();
          },
          clear: () => {},
        }),
      });
      const images = told.parts.flatMap((part) => (part.kind === 'images' ? part.images : []));
      this.#end = { kind: 'done', told, notes: this.#notes, images };
    } catch (cause) {
      const error =
        cause instanceof HostError ? cause : new HostError('internal', `Plugboard itself failed: ${String(cause)}`);
      this.#end = { kind: 'failed', error, notes: this.#notes };
    }
    onChange();
  }
}
