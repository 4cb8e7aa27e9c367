/** One line of a diff with its sign. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+' | '…';
  readonly text: string;
}

/** A line diff with `context` lines around each change. Empty when the texts are equal. */
export function diffLines(before: readonly string[], after: readonly string[], context = 2): readonly DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (head === before.length && head === after.length) return [];
  const all: DiffLine[] = [
    ...before.slice(0, head).map(kept),
    ...compare(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept),
  ];
  return near(all, context);
}

/** By longest common subsequence; above `CELL_LIMIT` all of one text, then all of the other. */
function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const wide = after.length + 1;
  if (before.length * after.length > CELL_LIMIT) return [...before.map(removed), ...after.map(added)];
  const lengths = new Uint16Array((before.length + 1) * wide);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * wide + column] =
        before[row] === after[column]
          ? lengths[(row + 1) * wide + column + 1]! + 1
          : Math.max(lengths[(row + 1) * wide + column]!, lengths[row * wide + column + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      lines.push(kept(before[row]!));
      row++;
      column++;
    } else if (
      column >= after.length ||
      (row < before.length && lengths[(row + 1) * wide + column]! >= lengths[row * wide + column + 1]!)
    ) {
      lines.push(removed(before[row++]!));
    } else lines.push(added(after[column++]!));
  }
  return lines;
}

const CELL_LIMIT = 4_000_000; // 8 MB and some 20 ms: two texts of 2,000 lines; the lengths fit into 16 bits

function near(all: readonly DiffLine[], context: number): DiffLine[] {
  const isNear = new Uint8Array(all.length);
  for (const [at, { sign }] of all.entries()) {
    if (sign !== ' ') isNear.fill(1, Math.max(0, at - context), at + context + 1);
  }
  const lines: DiffLine[] = [];
  for (const [at, line] of all.entries()) {
    if (isNear[at] === 1) lines.push(line);
    else if (lines.at(-1)?.sign !== '…') lines.push({ sign: '…', text: '' });
  }
  return lines;
}

const kept = (text: string): DiffLine => ({ sign: ' ', text });
const removed = (text: string): DiffLine => ({ sign: '-', text });
const added = (text: string): DiffLine => ({ sign: '+', text });
