/** On a terminal, how far a bench is; nothing in a log. */
export function showProgress(what, done, total) {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done < total ? `\r${what}: ${done} of ${total} ` : `\r${' '.repeat(what.length + 24)}\r`);
}
