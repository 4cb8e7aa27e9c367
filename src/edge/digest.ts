/**
 * SHA-256 in hex. node:crypto takes 3 ms to load, and a list without project servers has nothing to hash: it is asked for
 * when it is needed.
 */
export function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text);
}

export function randomUUID(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
