import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Harness, type HarnessOptions } from '../harness.js';
import { type Result, toLine } from '../report.js';
import { isBad } from '../verdict.js';
import { listedMisses } from './expected-misses.js';
import { type PlayedResult, ServerPlay, toServerSummary } from './server-play.js';
import { directRuns, type ServerRun, serverRuns, toTitle } from './server-run.js';

const USAGE = `Usage: npm run conformance -- --server [--direct] [--scenario NAME]... [--revision 2025-11-25|2026-07-28]
                                         [--era legacy|modern] [--transport stdio|http] [--json FILE]
`;

/** The official suite for servers, through the gateway in eight runs; with --direct, the upstream alone in two. */
export async function mainServer(args: readonly string[], world: HarnessOptions): Promise<number> {
  const flags = readFlags(args);
  if (typeof flags === 'string') return stop(flags);
  if (flags.help) return (process.stdout.write(USAGE), 0);
  const runs = (flags.direct ? directRuns : serverRuns).filter((run) => isWanted(run, flags));
  if (runs.length === 0) return stop(`No run is like that.\n${USAGE}`);
  const harness = await Harness.open(world);
  const all = await harness.list('server');
  const named = [...(flags.scenario ?? []), ...listedMisses()];
  const unknown = named.find((name) => all.every((one) => one.name !== name));
  if (unknown !== undefined) return stop(`The suite has no scenario "${unknown}" for servers.\n`);
  const chosen = flags.scenario === undefined ? all : all.filter(({ name }) => flags.scenario?.includes(name));
  const root = resolve(world.folder, '../..');
  const stage = { root, scratch: world.scratch, isDirect: flags.direct };
  const who = flags.direct ? 'the upstream alone' : 'through the gateway';
  print(`@modelcontextprotocol/conformance ${harness.version}: scenarios for servers, ${who}\n`);
  const results: PlayedResult[] = [];
  for (const run of runs) {
    print(`\n${toTitle(run)}\n`);
    await using play = new ServerPlay({ harness, run, stage });
    for await (const result of play.results(chosen)) {
      results.push(result);
      print(toLine(result));
    }
  }
  print(`\n${toServerSummary(results)}`);
  if (flags.json !== undefined) writeResults(flags.json, { harness, isDirect: flags.direct, results });
  return results.some(({ outcome }) => isBad(outcome)) ? 1 : 0;
}

interface Written {
  readonly harness: Harness;
  readonly isDirect: boolean;
  readonly results: readonly Result[];
}

function writeResults(file: string, { harness, isDirect, results }: Written): void {
  const suite = { version: harness.version, node: process.versions.node, date: new Date().toISOString(), isDirect };
  writeFileSync(file, `${JSON.stringify({ suite, results }, null, 2)}\n`);
}

function isWanted(run: ServerRun, { revision, era, transport }: Flags): boolean {
  const wanted: Readonly<Record<string, string | undefined>> = { revision, era, transport };
  return Object.entries(run).every(([what, value]) => wanted[what] === undefined || wanted[what] === value);
}

interface Flags {
  readonly direct: boolean;
  readonly scenario?: readonly string[] | undefined;
  readonly revision?: string | undefined;
  readonly era?: string | undefined;
  readonly transport?: string | undefined;
  readonly json?: string | undefined;
  readonly help: boolean;
}

/** Returns a message when the flags are wrong. */
function readFlags(args: readonly string[]): Flags | string {
  const options = {
    server: { type: 'boolean' },
    direct: { type: 'boolean', default: false },
    scenario: { type: 'string', multiple: true },
    revision: { type: 'string' },
    era: { type: 'string' },
    transport: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${USAGE}`;
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

function stop(message: string): number {
  process.stderr.write(message);
  return 2;
}
