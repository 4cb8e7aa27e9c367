/** What is wrong in a configuration, and where. */
export interface PlacedProblem {
  readonly file: string;
  readonly line?: number;
  readonly server?: string;
  readonly field?: string;
  readonly message: string;
}

/** `file:line: server "db": env.TOKEN: message`, which editors and terminals make clickable. */
export function describeProblem({ file, line, server, field, message }: PlacedProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const who = server === undefined ? '' : ` server "${server}":`;
  return `${place}:${who}${field === undefined || field === '' ? '' : ` ${field}:`} ${message}`;
}
