/** Plain text: first column to the left, numbers to the right. */
export function toTable(head, rows) {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const toLine = (cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [toLine(head), rule, ...rows.map(toLine)].map((line) => `${line}\n`).join('');
}

export function ms(value) {
  return value.toFixed(value < 10 ? 2 : 1);
}

export function times(value) {
  return `${value.toFixed(2)}x`;
}
