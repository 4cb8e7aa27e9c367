// `node bench/summary/summary.mjs FIGURES.json ...`: what `npm run bench -- --json FIGURES.json` measured becomes the
// table at the head of bench/README.md and bench/summary.svg. Without a file both are written again from summary.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shown, toPicture } from './picture.mjs';
import { rows } from './rows.mjs';

const START = '<!-- the twelve: written by bench/summary/summary.mjs -->';
const END = '<!-- end of the twelve -->';
const kept = fileOf('summary.json');
const readme = fileOf('../README.md');
const picture = fileOf('../summary.svg');

/** The twelve figures of these measurements; one that was not measured stays as it was. */
export function toSummary(measured, before) {
  const list = rows.map(({ what, aim, unit, read }) => {
    const found = measured.map(({ figures, machine }) => ({ found: read(figures), machine })).find((one) => one.found);
    const old = before?.list.find((one) => one.what === what);
    if (!found) return old ?? { what, aim, unit };
    return { what, aim, unit, measured: found.machine.date, ...roundAll(found.found) };
  });
  const machine = measured[0]?.machine ?? before.machine;
  return { date: machine.date, machine, list: list.filter(({ now }) => now !== undefined) };
}

/** The table of the README. */
export function toMarkdown({ list, machine }) {
  const cells = list.map(({ what, floor, aim, unit, now, best }) => [
    what,
    shown(floor.value, floor.unit),
    shown(aim, unit),
    `${shown(now, unit)}${now <= aim ? '' : ' (missed)'}`,
    best ? `${shown(best.value, unit)} ${best.who}` : '',
  ]);
  const table = [['what', 'floor', 'aim', 'now', 'best peer'], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const { date, cpus, cpu, platform, node, load } = machine;
  return [
    line(table[0]),
    rule,
    ...table.slice(1).map(line),
    '',
    `${date}, Node ${node.replace('v', '')}, ${platform}, ${cpus} x ${cpu}, load average ${load.split(' ')[0]} at the start.`,
  ].join('\n');
}

/** The README with this table in it. */
export function withTable(text, table) {
  const [from, to] = [text.indexOf(START), text.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`bench/README.md has no place for the table: ${START}`);
  return `${text.slice(0, from)}${START}\n\n${table}\n\n${text.slice(to)}`;
}

function roundAll({ now, floor, best }) {
  return {
    now: round(now),
    floor: { ...floor, value: round(floor.value) },
    ...(best && { best: { ...best, value: round(best.value) } }),
  };
}

function round(value) {
  return Number(value.toPrecision(4));
}

function fileOf(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' && file === kept) return undefined;
    process.stderr.write(`${file}: ${error.message}\n`);
    return process.exit(2);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const summary = toSummary(process.argv.slice(2).map(readJson), readJson(kept));
  writeFileSync(kept, `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(picture, toPicture(summary));
  writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), toMarkdown(summary)));
  process.stdout.write(`${toMarkdown(summary)}\n`);
}
