import { resolve } from 'node:path';
import type { ConfigContext } from '../../config/context.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { MASK } from '../../base/secret.js';
import { shellWord } from '../../base/shell-word.js';
import type { Launch } from './launch.js';

/** What is known of a process that ended, or says nothing. */
export interface Exit {
  readonly launch: Launch;
  readonly server: ConfiguredServer;
  readonly context: Pick<ConfigContext, 'env' | 'platform' | 'projectRoot'>;
  /** Where it was started. */
  readonly cwd: string;
  /** What it said, on stderr and on stdout: a stranger's words, bounded. */
  readonly said: string;
}

/**
 * One cause, known by the words of the program that names it: node, npm, Python, uv, docker. The words may be a liar's, so that a
 * command to paste never holds a name that only they brought: a package is named by the entry, or by the script that the entry names.
 */
export interface ExitRule {
  /** Finds the cause in what was said. Must not go back and forth: the text is a stranger's. */
  readonly when: RegExp;
  /** What to do about it; undefined when it is not that. */
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

/** `"args": ["-y", "tsx", "server.ts"]`, of words that may be shown. */
export function argsText(words: readonly string[]): string {
  return `"args": [${words.map((word) => JSON.stringify(word.includes(MASK) ? '...' : word)).join(', ')}]`;
}

/** The script's path, where the entry names one and may show it. */
export function scriptOf({ launch, cwd }: Exit): { readonly path: string; readonly word: string } | undefined {
  if (launch.runs?.kind !== 'script') return undefined;
  return { path: resolve(cwd, launch.argv[launch.runs.at]!), word: launch.shown[launch.runs.at]! };
}

/** A path to be pasted; undefined when a variable stands in it, which is not the shell's. */
export function pastable(word: string, path: string): string | undefined {
  return word.includes('${') || word.includes(MASK) ? undefined : shellWord(path);
}
