import { nearest } from '../../base/nearest.js';
import type { CompletionItem } from '../terminal/screen.js';
import type { SessionContext } from './session-context.js';

/** A slash command. A new one is a file in commands/ and an entry in its list; help and completion follow from it. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The arguments, as help shows them. */
  readonly usage: string;
  readonly summary: string;
  /** Whether the command with these arguments is a message to the model, which is sent as it was typed. */
  isMessage?(rest: string): boolean;
  /** Makes words of what follows the command; default: like a shell. */
  split?(rest: string): readonly string[];
  /** Completions for the last word. Contract: returns at once, must not throw. */
  completes?(context: SessionContext, words: TypedArguments): readonly CompletionItem[];
  /** The same for what is not known at once. Contract: never rejects. */
  completesLater?(context: SessionContext, words: TypedArguments): Promise<readonly CompletionItem[]>;
  /** Rejects with a HostError when it fails. `leave` ends the session. */
  run(context: CommandContext, words: readonly string[]): Promise<'leave' | void>;
}

/** The arguments typed so far: complete words, and the beginning of one more. */
export interface TypedArguments {
  readonly before: readonly string[];
  readonly last: string;
}

export interface CommandContext extends SessionContext {
  /** Aborts on Ctrl-C or Escape. */
  readonly signal: AbortSignal;
}

/** A line that the user entered. */
export type ParsedInput =
  | { readonly kind: 'message' }
  | { readonly kind: 'command'; readonly command: Command; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly close: string | undefined };

/**
 * `/word` is a command; `/usr/bin` is a path, and `/mcp__server__prompt` a message that a server writes, as
 * `/skills NAME` is. After a leading blank, anything that is no command is a message.
 */
export function readEntered(text: string, commands: readonly Command[]): ParsedInput {
  const [, word, rest = ''] = /^\/([a-zA-Z?][\w-]*|\?)(?:\s+([\s\S]*))?$/u.exec(text.trim()) ?? [];
  if (word === undefined || word.startsWith('mcp__')) return { kind: 'message' };
  const name = word.toLowerCase();
  const command = commands.find((one) => one.name === name || one.aliases?.includes(name) === true);
  if (command?.isMessage?.(rest) === true) return { kind: 'message' };
  if (command) return { kind: 'command', command, rest };
  if (/^\s/u.test(text)) return { kind: 'message' };
  const [close] = nearest(
    name,
    commands.flatMap((one) => [one.name, ...(one.aliases ?? [])]),
  );
  return { kind: 'unknown', name: word, close };
}
