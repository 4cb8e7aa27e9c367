import { resolve } from 'node:path';
import type { ConfigContext } from '../../config/context.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { MASK } from '../../base/secret.js';
import { shellWord } from '../../base/shell-word.js';
import type { Launch } from './launch.js';

/** A server process that exited, or does not answer. */
export interface Exit {
  readonly launch: Launch;
  readonly server: ConfiguredServer;
  readonly context: Pick<ConfigContext, 'env' | 'platform' | 'projectRoot'>;
  /** The process's working directory. */
  readonly cwd: string;
  /** stderr and stdout of the process: untrusted text, bounded. */
  readonly said: string;
}

/**
 * One cause, recognized by the message of the program that reports it. The message may be forged, so a command to paste
 * never contains a name that only the message has: a package is named by the entry, or by the script that the entry
 * names.
 */
export interface ExitRule {
  /** Finds the cause in the output. Must not backtrack: the text is untrusted. */
  readonly when: RegExp;
  /** What to do; undefined when this is not the cause. */
  readonly hint: (exit: Exit, match: RegExpExecArray) => string | undefined;
}

export function hintBy(rules: readonly ExitRule[], exit: Exit): string | undefined {
  for (const { when, hint } of rules) {
    const match = when.exec(exit.said);
    const told = match ? hint(exit, match) : undefined;
    if (told !== undefined) return told;
  }
  return undefined;
}

/** `"args": ["-y", "tsx", "server.ts"]`; words with masked secrets become `...`. */
export function argsText(words: readonly string[]): string {
  return `"args": [${words.map((word) => JSON.stringify(word.includes(MASK) ? '...' : word)).join(', ')}]`;
}

/** The script that the entry runs: its absolute path, and its word as it may be shown. Undefined where it runs none. */
export function scriptOf({ launch, cwd }: Exit): { readonly path: string; readonly word: string } | undefined {
  if (launch.runs?.kind !== 'script') return undefined;
  return { path: resolve(cwd, launch.argv[launch.runs.at]!), word: launch.shown[launch.runs.at]! };
}

/** The path, quoted for a shell; undefined when its word has a masked secret, or a variable that only we expand. */
export function pastable(word: string, path: string): string | undefined {
  return word.includes('${') || word.includes(MASK) ? undefined : shellWord(path);
}
