import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { maskTokens } from '../../model/redaction/mask-value.js';
import { splitWords } from '../../model/view/prompt-commands.js';
import type { History } from '../../session/index.js';
import type { Completer, Prompted, Screen } from '../terminal/screen.js';
import type { DialogQueue } from './asking.js';
import { type Command, type CommandContext, readEntered } from './command.js';
import { failureRows } from './failure.js';
import type { SessionContext } from './session-context.js';

export interface LoopOptions {
  readonly screen: Screen;
  readonly history: History;
  /** Whether what is typed may be written to the history of later sessions. */
  readonly keepsHistory: boolean;
  readonly asking: DialogQueue;
  readonly commands: readonly Command[];
  readonly completions: Completer;
  /** The session, once it is open. Rejects when it cannot be opened. */
  readonly context: () => Promise<SessionContext>;
  /** Sends a message to the model. Resolves to the text if it could not be sent. */
  readonly say: (text: string, context: CommandContext) => Promise<string | undefined>;
  /** The text for a prompt that has no draft. */
  readonly suggest?: (() => string | undefined) | undefined;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

/** Prompts and runs lines until the user leaves or the signal aborts. Rejects only when the session cannot open. */
export class SessionLoop {
  readonly #options: LoopOptions;
  /** The suggestion that was printed last. */
  #told: string | undefined;
  /** The open prompt. */
  #prompting: AbortController | undefined;
  /** The command or turn under way. */
  #doing: AbortController | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Closes the prompt for a dialog; it comes back afterwards with what was typed. */
  pauseForDialog(): void {
    this.#prompting?.abort();
  }

  /** Stops what is under way. */
  stop(): void {
    this.#doing?.abort();
  }

  async run(): Promise<void> {
    const { history, keepsHistory, signal, asking } = this.#options;
    let draft: string | undefined;
    while (!signal.aborted) {
      await within(asking.idle(), { signal, instead: () => undefined });
      const prompted = await this.#prompt(draft);
      draft = undefined;
      if (prompted === 'again') continue;
      if (prompted.kind === 'leave') return;
      const { text } = prompted;
      if (text.trim() === '') continue;
      // As in shells, a leading blank keeps a line out of the history; so does text that looks like a key.
      history.add(text, { isPrivate: !keepsHistory || text.startsWith(' ') || maskTokens(text) !== text });
      const entered = await this.#enter(text);
      if (entered.kind === 'leave') return;
      draft = entered.draft;
    }
  }

  /** A screen that cannot put a text into its prompt prints it above. */
  #suggestion(): string | undefined {
    const { screen, suggest } = this.#options;
    const text = suggest?.();
    if (text === undefined || !screen.isPlain) return text;
    if (text !== this.#told) screen.print(`Try: ${text}`);
    this.#told = text;
    return undefined;
  }

  /** `again`: something else needed the screen. */
  async #prompt(draft: string | undefined): Promise<Prompted | 'again'> {
    const { screen, history, completions, signal } = this.#options;
    const prompting = new AbortController();
    this.#prompting = prompting;
    try {
      return await screen.prompt({
        mark: '> ',
        history: history.entries,
        completions,
        signal: AbortSignal.any([signal, prompting.signal]),
        ...(draft === undefined ? { suggestion: this.#suggestion() } : { draft }),
      });
    } catch (cause) {
      if (signal.aborted || prompting.signal.aborted) return 'again';
      if (cause instanceof HostError && cause.code === 'cancelled') return { kind: 'leave' };
      throw cause;
    } finally {
      this.#prompting = undefined;
    }
  }

  /** Runs a line. The returned draft is put into the next prompt. */
  async #enter(text: string): Promise<Next> {
    const { screen, commands, signal } = this.#options;
    const entered = readEntered(text, commands);
    if (entered.kind === 'unknown') {
      const { name, close } = entered;
      const hint = close === undefined ? '/help lists the commands.' : `Did you mean /${close}?`;
      const error = new HostError('usage', `There is no command /${name}`, {
        hint: `${hint} To send a message that begins with /, put a space before it`,
      });
      screen.print(failureRows(error, screen).join('\n'));
      return GO_ON;
    }
    const doing = new AbortController();
    this.#doing = doing;
    using _ = screen.onInterrupt(() => doing.abort());
    const context = { ...(await this.#options.context()), signal: AbortSignal.any([signal, doing.signal]) };
    try {
      if (entered.kind === 'message') {
        const draft = await this.#options.say(text, context);
        if (draft !== undefined && !screen.isPlain) screen.print(screen.style.dim(BACK));
        return { kind: 'go-on', draft };
      }
      const { command, rest } = entered;
      const end = await command.run(context, command.split?.(rest) ?? splitWords(rest));
      return end === 'leave' ? { kind: 'leave' } : GO_ON;
    } catch (cause) {
      const isStopped = doing.signal.aborted && cause instanceof HostError && cause.code === 'cancelled';
      screen.print(isStopped ? screen.style.dim('Stopped.') : failureRows(cause, screen).join('\n'));
      return GO_ON;
    } finally {
      this.#doing = undefined;
    }
  }
}

/** `draft`: the text in the next prompt. */
type Next = { readonly kind: 'leave' } | { readonly kind: 'go-on'; readonly draft?: string | undefined };

const GO_ON: Next = { kind: 'go-on' };
const BACK = 'Your message is back in the input: Enter sends it again, Ctrl-C empties the input.';
