import type { Host, HostPrompt } from '../../../index.js';
import { splitWords } from '../../../model/view/prompt-commands.js';
import { showAbout } from '../../../model/show.js';
import type { Completer, CompletionItem, CompletionList } from '../../terminal/screen.js';
import type { Command } from '../command.js';
import { promptArgumentItems } from './complete-arguments.js';
import { mentionAt, mentionItems } from './complete-mentions.js';
import { safeCompletions } from './safe-completions.js';
import type { SessionContext } from '../session-context.js';

/** Completes commands, prompts and mentions. `context`: undefined until the host is open. */
export class SessionCompleter {
  readonly #context: () => SessionContext | undefined;
  readonly #commands: readonly Command[];
  /** The prompts of all servers, as of the last lookup. */
  #prompts: readonly HostPrompt[] = [];
  #promptsOf: Host | undefined;
  #isStale = true;
  /** The lookup under way; every key typed meanwhile waits for it too. */
  #looking: Promise<void> | undefined;
  /** Cancels the request to a server that the previous key made. */
  #asking = new AbortController();

  constructor(context: () => SessionContext | undefined, commands: readonly Command[]) {
    this.#context = context;
    this.#commands = commands;
  }

  readonly complete: Completer = (text, cursor, later) => {
    this.#asking.abort();
    this.#asking = new AbortController();
    const before = text.slice(0, cursor);
    if (/^\s*\//u.test(before)) return this.#slash(before, later);
    const host = this.#context()?.session.host;
    const mention = host && mentionAt(before);
    return mention && mentionItems(host, mention, { to: cursor, later, signal: this.#asking.signal });
  };

  #slash(before: string, later: (found: CompletionList) => void): CompletionList | undefined {
    const [, indent = '', word = '', behind] = /^(\s*)\/(\S*)(\s[\s\S]*)?$/u.exec(before) ?? [];
    const from = indent.length;
    const context = this.#context();
    const tell = (found: CompletionList | undefined): void =>
      later(found ?? { from: before.length, to: before.length, items: [] });
    if (behind === undefined) {
      const found = (): CompletionList | undefined => safeCompletions(from, before.length, this.#firstItems(word));
      if (context) this.#lookUp(context.session.host, () => tell(found()));
      return found();
    }
    if (!context) return undefined;
    // The lookbehind prevents matches that start within a word, which would take quadratic time on a long one.
    const last = /(?<!\S)\S*$/u.exec(behind)![0];
    const start = before.length - last.length;
    const words = splitWords(behind.slice(0, behind.length - last.length));
    const command = this.#commands.find(({ name, aliases }) => name === word || aliases?.includes(word) === true);
    if (command) {
      const { signal } = this.#asking;
      const show = (items: readonly CompletionItem[]): void => tell(safeCompletions(start, before.length, items));
      void command
        .completesLater?.(context, { before: words, last })
        .then((items) => void (signal.aborted || show(items)));
      return safeCompletions(start, before.length, command.completes?.(context, { before: words, last }) ?? []);
    }
    const { host } = context.session;
    const find = (): CompletionList | undefined => {
      const prompt = this.#prompts.find((one) => one.command === `/${word}`);
      if (!prompt) return undefined;
      const options = { before: words, last, signal: this.#asking.signal };
      const items = promptArgumentItems(host, prompt, options, (more) =>
        tell(safeCompletions(start, before.length, more)),
      );
      return safeCompletions(start, before.length, items);
    };
    this.#lookUp(host, () => tell(find()));
    return find();
  }

  #firstItems(word: string): readonly CompletionItem[] {
    const typed = word.toLowerCase();
    const own = this.#commands
      .filter(({ name, aliases = [] }) => [name, ...aliases].some((one) => one.startsWith(typed)))
      .map(({ name, usage, summary }) => ({ text: `/${name}`, about: summary, isWhole: usage !== '' }));
    const prompts: CompletionItem[] = [];
    for (const { command, description, title, arguments: slots } of this.#prompts) {
      if (!isPart(command, typed)) continue;
      const about = showAbout({ description, title });
      prompts.push({ text: command, about, isWhole: slots.length > 0 });
      if (prompts.length >= ITEMS) break;
    }
    return [...own, ...prompts];
  }

  /** Reads the prompts again when a list has changed, then calls `tell`. */
  #lookUp(host: Host, tell: () => void): void {
    if (this.#promptsOf !== host) {
      this.#promptsOf = host;
      const stale = (): void => void (this.#isStale = true);
      host.on('catalog', stale);
      host.on('server', stale);
    }
    if (this.#isStale) {
      this.#isStale = false;
      this.#looking = this.#read(host);
    }
    const { signal } = this.#asking;
    void this.#looking?.then(() => void (signal.aborted || tell()));
  }

  async #read(host: Host): Promise<void> {
    const listed = await host.prompts();
    if (listed.ok) this.#prompts = listed.prompts;
    this.#looking = undefined;
  }
}

/** Whether the command, or the part after its server's name, begins with the typed text. */
function isPart(command: string, typed: string): boolean {
  const name = command.slice(1).toLowerCase();
  return name.startsWith(typed) || (typed.length > 1 && name.includes(`__${typed}`));
}

const ITEMS = 50;
