/** What is wrong in a configuration, and where. */
export interface PlacedProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly server?: string;
  readonly field?: string;
  readonly message: string;
}

/** `file:line:column: server "db": env.TOKEN: message`, which editors and terminals make clickable. */
export function describeProblem({ file, line, column, server, field, message }: PlacedProblem): string {
  const place = showPlace(file, { line, column });
  const who = server === undefined ? '' : ` server "${server}":`;
  return `${place}:${who}${field === undefined || field === '' ? '' : ` ${field}:`} ${message}`;
}

/** `file`, `file:12` or `file:12:5`, which editors and terminals make clickable. */
export function showPlace(
  file: string,
  { line, column }: { readonly line?: number | undefined; readonly column?: number | undefined },
): string {
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}
