/** Shows the progress of a bench on a terminal; prints nothing to a log. */
export function showProgress(what, done, total) {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done < total ? `\r${what}: ${done} of ${total} ` : `\r${' '.repeat(what.length + 24)}\r`);
}
