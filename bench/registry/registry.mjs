// Measures what happens to known tools and to calls: registering, the pipeline, what models are shown, search, results.
// Each part can run alone (`node bench/registry/pipeline.mjs`). README.md says how to read it.
import { run as runExport } from './export.mjs';
import { run as runPipeline } from './pipeline.mjs';
import { run as runRegistering } from './registering.mjs';
import { run as runResults } from './results.mjs';
import { run as runSearch } from './search.mjs';

const parts = {
  registering: runRegistering,
  pipeline: runPipeline,
  export: runExport,
  search: runSearch,
  results: runResults,
};

export async function run({ world, quick }) {
  const inside = process.env.BENCH_INSIDE ?? world.inside;
  const done = [];
  for (const name of chooseParts()) done.push([name, await parts[name]({ inside, quick })]);
  return {
    title: 'The registry: the cost of tools and calls',
    tables: done.flatMap(([, { title, tables, notes = [] }]) =>
      tables.map((table, at) => ({
        ...table,
        title: [at === 0 ? title : undefined, table.title, ...(at === 0 ? notes : [])].filter(Boolean).join('\n'),
      })),
    ),
    aims: done.flatMap(([, { aims }]) => aims),
    figures: Object.fromEntries(done.map(([name, { figures }]) => [name, figures])),
  };
}

/** All parts, or those that BENCH_PARTS names. */
function chooseParts() {
  const all = Object.keys(parts);
  const names = process.env.BENCH_PARTS?.split(',').map((name) => name.trim()) ?? all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return names;
  throw new Error(`BENCH_PARTS: no "${unknown}" among ${all.join(', ')}`);
}
