/** A text as one word of a shell command: what a file wrote must never become a command when someone pastes a hint. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A server's name in a command to paste: one word to the shell, and to Plugboard never a flag. */
export function nameWord(name: string): string {
  return name.startsWith('-') ? `-- ${shellWord(name)}` : shellWord(name);
}

/** A command about one server, its scope named. A name that looks like a flag has to come last, behind its `--`. */
export function scopedCommand(verb: string, name: string, scope: string): string {
  const word = nameWord(name);
  return word.startsWith('--') ? `plugboard ${verb} -s ${scope} ${word}` : `plugboard ${verb} ${word} -s ${scope}`;
}
