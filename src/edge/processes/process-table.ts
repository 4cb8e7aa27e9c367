import { attempt } from '../../base/attempt.js';
import { readdirSync, readFileSync } from 'node:fs';
import { nextTurn } from '../clock.js';
import { type ProcessStat, readStat } from './process-stat.js';

/** All running processes, by pid. Empty where there is no /proc. */
export type ProcessTable = ReadonlyMap<number, ProcessStat>;

/** Reads all processes with this pid or a higher one, some of them in each turn of the event loop. */
export async function readProcessTable(from = 1): Promise<ProcessTable> {
  const table = new Map<number, ProcessStat>();
  const pids = listPids().filter((pid) => pid >= from);
  await lookInTurns(pids, (pid) => note(pid, table));
  return table;
}

/** Calls `look` for each pid, for some of them in each turn of the event loop. */
export async function lookInTurns(pids: Iterable<number>, look: (pid: number) => void): Promise<void> {
  let count = 0;
  for (const pid of pids) {
    look(pid);
    if (++count % PROCESSES_IN_A_TURN === 0) await nextTurn();
  }
}

/** Like `readProcessTable`, synchronously, for the exit of the host. */
export function readTableNow(): ProcessTable {
  const table = new Map<number, ProcessStat>();
  for (const pid of listPids()) note(pid, table);
  return table;
}

/** The children of each process that has any. Made once for many servers: each look at a table is a walk over it. */
export type ProcessTree = ReadonlyMap<number, readonly number[]>;

export function toProcessTree(table: ProcessTable): ProcessTree {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of table) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  return children;
}

/** All descendants of these processes. A process whose ancestor has exited is not found. */
export function descendantsIn(children: ProcessTree, roots: Iterable<number>): readonly number[] {
  const found = new Set<number>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child)) continue;
      found.add(child);
      waiting.push(child);
    }
  }
  return [...found];
}

/** The pid that was assigned last; 0 where the system does not report it. */
export function lastPid(): number {
  return attempt(() => Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1)), 0);
}

const PROCESSES_IN_A_TURN = 200; // takes some 2 ms

function note(pid: number, table: Map<number, ProcessStat>): void {
  const stat = readStat(pid);
  if (stat && !stat.dead) table.set(pid, stat);
}

export function listPids(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return attempt(() => readdirSync('/proc').map(Number).filter(Number.isSafeInteger), []);
}
