/** Whether a path is a folder itself or lies in it. Both are absolute. */
export function isWithin(path: string, folder: string): boolean {
  return asFolder(path).startsWith(asFolder(folder));
}

/** Sorts a folder before what is in it. */
export function byFolder(one: string, other: string): number {
  const [a, b] = [asFolder(one), asFolder(other)];
  return a < b ? -1 : Number(a > b);
}

function asFolder(path: string): string {
  return path === '/' ? path : `${path}/`;
}
