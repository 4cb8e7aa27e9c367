/** The bare name of a program: `/usr/bin/python3.12`, `python3` and `Python.exe` are all `python`. */
export function programName(word: string): string {
  return word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .replace(/\.(?:exe|cmd|bat|com|ps1)$/iu, '')
    .replace(/[\d.]{1,16}$/u, '')
    .toLowerCase();
}

/** A map from program names to values; names that share a value are written together, separated by blanks. */
export function byName<T>(groups: readonly (readonly [names: string, value: T])[]): ReadonlyMap<string, T> {
  return new Map(groups.flatMap(([names, value]) => names.split(' ').map((name): [string, T] => [name, value])));
}
