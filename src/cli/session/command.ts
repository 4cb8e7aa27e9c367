import { nearest } from '../../base/nearest.js';
import type { CompletionItem } from '../terminal/screen.js';
import type { SessionContext } from './session-context.js';

/** One command of a session. A new one is a file in commands/ and a name in its list; help and completion follow from this. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What stands behind the name. */
  readonly usage: string;
  readonly summary: string;
  /** What its last word could be, of what stands behind the name so far. Contract: answers at once, must not throw. */
  completes?(context: SessionContext, words: TypedArguments): readonly CompletionItem[];
  /** Throws a HostError where it cannot be done. `leave`: the session ends. */
  run(context: CommandContext, words: readonly string[]): Promise<'leave' | void>;
}

/** What is typed behind the name of a command: whole words, and the beginning of one more. */
export interface TypedArguments {
  readonly before: readonly string[];
  readonly last: string;
}

export interface CommandContext extends SessionContext {
  /** Aborts when the user has had enough: Ctrl-C, Escape. */
  readonly signal: AbortSignal;
}

/** What somebody has entered. */
export type ParsedInput =
  | { readonly kind: 'message' }
  | { readonly kind: 'command'; readonly command: Command; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly close: string | undefined };

/**
 * `/word` is a command; `/usr/bin` is a path, and `/mcp__server__prompt` a message that a server writes. With a blank in front, what is no
 * command is a message as well.
 */
export function readEntered(text: string, commands: readonly Command[]): ParsedInput {
  const [, word, rest = ''] = /^\/([a-zA-Z?][\w-]*|\?)(?:\s+([\s\S]*))?$/u.exec(text.trim()) ?? [];
  if (word === undefined || word.startsWith('mcp__')) return { kind: 'message' };
  const name = word.toLowerCase();
  const command = commands.find((one) => one.name === name || one.aliases?.includes(name) === true);
  if (command) return { kind: 'command', command, rest };
  if (/^\s/u.test(text)) return { kind: 'message' };
  const [close] = nearest(
    name,
    commands.flatMap((one) => [one.name, ...(one.aliases ?? [])]),
  );
  return { kind: 'unknown', name: word, close };
}
