/** A Markdown table with aligned columns, as the formatter of this project writes it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...cells.map(line)].join('\n');
}

/** The page with the part between `<!-- NAME -->` and `<!-- end of NAME -->` replaced. */
export function replacePart(page: string, name: string, text: string): string {
  const start = `<!-- ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The page has no part between ${start} and ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
