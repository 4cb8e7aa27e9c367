import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toTable } from '../lib/table.mjs';

/** The default folder of the modules as single files. */
export const insideByDefault = () =>
  process.env.BENCH_INSIDE ?? fileURLToPath(new URL('../../dist/inside', import.meta.url));

/** Runs and prints a part that was started by itself, with `--inside FOLDER`, `--quick` and `--json`. */
export async function printAlone(url, run) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const options = {
    inside: { type: 'string', default: insideByDefault() },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  };
  const { values } = parseArgs({ options });
  const { title, tables, notes = [], aims, figures } = await run(values);
  print(title);
  for (const table of tables)
    print(`${table.title === undefined ? '' : `\n${table.title}`}\n${toTable(table.head, table.rows)}`);
  for (const note of notes) print(note);
  for (const { what, limit, value, unit } of aims) {
    print(`${value > limit ? 'NO ' : 'yes'} ${what} is ${value.toFixed(2)}${unit}, the aim ${limit}${unit}`);
  }
  if (values.json) print(JSON.stringify(figures));
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
