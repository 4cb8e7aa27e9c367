/** Where something is wrong in a configuration, and what. */
export interface PlacedProblem {
  readonly file: string;
  readonly line?: number;
  readonly server?: string;
  readonly field?: string;
  readonly message: string;
}

/** `file:line: server "db": env.TOKEN: message`, the way editors and terminals make it clickable. */
export function describeProblem({ file, line, server, field, message }: PlacedProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const who = server === undefined ? '' : ` server "${server}":`;
  return `${place}:${who}${field === undefined || field === '' ? '' : ` ${field}:`} ${message}`;
}
