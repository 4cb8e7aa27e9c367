import type { SessionEvent } from '../../session/index.js';
import { gateText } from '../../model/text/text-gate.js';
import { showInput } from '../../model/permissions/show-input.js';
import type { Io } from '../io.js';
import { showLine } from '../../model/show.js';
import { styleFor } from '../output/style.js';
import { samplingText } from '../session/display/notice-lines.js';

export interface TextOutputOptions {
  readonly io: Io;
  readonly noColor: boolean;
  /** Whether calls are reported on stderr. */
  readonly verbose: boolean;
  /** Whether text is printed while the model streams it. */
  readonly streams: boolean;
}

/** Prints an answer for people: on a terminal line by line as it arrives, elsewhere at the end and unchanged. */
export class TextOutput {
  readonly #options: TextOutputOptions;
  /** The incomplete last line. */
  #line = '';
  #hasPrintedText = false;

  constructor(options: TextOutputOptions) {
    this.#options = options;
  }

  event(event: SessionEvent): void {
    const { streams, verbose } = this.#options;
    if (streams && event.kind === 'text') this.#words(event.text);
    if (streams && (event.kind === 'message' || event.kind === 'retry')) this.#flush();
    if (verbose) this.#tell(event, '');
  }

  /** Prints what has not been printed yet. */
  end(text: string): void {
    const { io, streams } = this.#options;
    this.#flush();
    if (streams || text === '') return;
    const whole = io.stdout.isTerminal ? gateText(text).text : text;
    io.stdout.write(whole.endsWith('\n') ? whole : `${whole}\n`);
  }

  #words(text: string): void {
    // An empty line between two messages.
    if (this.#hasPrintedText && this.#line === '') this.#options.io.stdout.write('\n');
    this.#hasPrintedText = false;
    this.#line += text;
    const end = this.#line.lastIndexOf('\n');
    // A very long line is printed in pieces, cut at spaces so that nothing is cut that belongs together.
    const cut = end === -1 && this.#line.length > LONG_LINE ? this.#line.lastIndexOf(' ') : end;
    if (cut === -1) return;
    this.#options.io.stdout.write(gateText(this.#line.slice(0, cut + 1)).text);
    this.#line = this.#line.slice(cut + 1);
  }

  #flush(): void {
    if (this.#line !== '') {
      this.#options.io.stdout.write(`${gateText(this.#line).text}\n`);
      this.#line = '';
      this.#hasPrintedText = true;
    }
  }

  #tell(event: SessionEvent, indent: string): void {
    const { io, noColor } = this.#options;
    if (event.kind === 'agent') return this.#tell(event.event, `${indent}  `);
    const { dim } = styleFor(io.stderr, { env: io.env, noColor });
    if (event.kind === 'call') {
      io.stderr.write(`${indent}${dim(`→ ${showLine(`${event.name} ${showInput(event.input)}`)}`)}\n`);
    }
    if (event.kind === 'result') {
      const { name, outcome, ms, error } = event.result;
      const why = error ? `: ${error.message}` : '';
      io.stderr.write(`${indent}${dim(`← ${showLine(`${name} ${outcome}, ${Math.round(ms)} ms${why}`)}`)}\n`);
    }
    if (event.kind === 'retry')
      io.stderr.write(`${indent}${dim(showLine(`asking the model again: ${event.reason}`))}\n`);
    const asked = event.kind === 'sampling' ? samplingText(event) : undefined;
    if (asked !== undefined) io.stderr.write(`${indent}${dim(asked)}\n`);
    if (event.kind === 'provider-call') {
      io.stderr.write(`${indent}${dim(showLine(`→ ${event.name}, run by the model's provider`))}\n`);
    }
  }
}

const LONG_LINE = 400;
