/** What a word of a command line is called as a program: `/usr/bin/python3.12`, `python3` and `Python.exe` are `python`. */
export function programName(word: string): string {
  return word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .replace(/\.(?:exe|cmd|bat|com|ps1)$/iu, '')
    .replace(/[\d.]{1,16}$/u, '')
    .toLowerCase();
}

/** What there is to say of programs, where several have the same: their names stand together, with blanks between them. */
export function byName<T>(groups: readonly (readonly [names: string, value: T])[]): ReadonlyMap<string, T> {
  return new Map(groups.flatMap(([names, value]) => names.split(' ').map((name): [string, T] => [name, value])));
}
