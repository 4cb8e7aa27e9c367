/**
 * Whether a text matches a pattern in which `*` stands for any characters, or none, and every other character for
 * itself. Each piece between stars is searched once, left to right, so forty stars cost no more than one.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0]!;
  if (pieces.length === 1) return pattern === text;
  const last = pieces.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    if (piece === '') continue;
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
