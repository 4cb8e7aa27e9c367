/** A text as one word of a shell command: text from a file must never become a command when the user pastes a hint. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll(ENDING, String.raw`'\$&'`)}'`;
}

/**
 * What is written between two quoted parts: quotes, and backslashes before a quote, a backslash or the end. Inside of
 * single quotes fish, unlike POSIX shells, reads `\'` and `\\` as escapes.
 */
const ENDING = /'|\\(?=['\\]|$)/gu;

/** A server's name in a command to paste: one word to the shell, and to Plugboard never a flag. */
export function nameWord(name: string): string {
  return name.startsWith('-') ? `-- ${shellWord(name)}` : shellWord(name);
}

/** A command for one server in one scope. A name that looks like a flag has to come last, after `--`. */
export function scopedCommand(verb: string, name: string, scope: string): string {
  const word = nameWord(name);
  return word.startsWith('--') ? `plugboard ${verb} -s ${scope} ${word}` : `plugboard ${verb} ${word} -s ${scope}`;
}
