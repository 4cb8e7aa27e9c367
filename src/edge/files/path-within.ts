/** Whether a path is the folder or lies in it. Both must be absolute. */
export function isWithin(path: string, folder: string): boolean {
  return asFolder(path).startsWith(asFolder(folder));
}

/** Compares paths so that a folder sorts before its content. */
export function byFolder(one: string, other: string): number {
  const [a, b] = [asFolder(one), asFolder(other)];
  return a < b ? -1 : Number(a > b);
}

function asFolder(path: string): string {
  return path === '/' ? path : `${path}/`;
}
