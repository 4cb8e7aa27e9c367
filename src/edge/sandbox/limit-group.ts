// Control groups: https://docs.kernel.org/admin-guide/cgroup-v1/memory.html, https://docs.kernel.org/admin-guide/cgroup-v2.html
import { attempt, succeeds } from '../../base/attempt.js';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import type { Clock } from '../../model/clock.js';
import {
  type CgroupPlace,
  type CgroupTexts,
  type Controller,
  findCgroup,
  placesUpward,
  readTextOrEmpty,
} from './cgroup-place.js';
import { isRunning } from '../files/lock-owner.js';
import { errorCodeOf } from '../files/write-error.js';
import { randomHex } from '../random-hex.js';

export interface Limits {
  readonly memoryMb?: number | undefined;
  /** Every thread counts: the kernel cannot count processes alone. */
  readonly processes?: number | undefined;
}

/** A control group for the limits of one server. */
export interface LimitGroup extends AsyncDisposable {
  /** Files into which a process writes its pid to be limited, with all that it starts. */
  readonly entrances: readonly string[];
  /** Whether the kernel has killed a process of the group for lack of memory. */
  ranOutOfMemory(): boolean;
  /** Removes the group once it is empty; the next host removes what stays. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LimitOptions {
  /** The server's name, for messages. */
  readonly name: string;
  readonly texts: CgroupTexts;
  readonly clock: Clock;
}

/** Creates a group with these limits. Throws `sandbox-unavailable`, which names the limit and the obstacle. */
export function openLimitGroup(limits: Limits, { name, texts, clock }: LimitOptions): LimitGroup {
  const made = new Map<string, CgroupPlace['version']>();
  const label = `${PREFIX}${process.pid}-${randomHex(6)}`;
  try {
    const resourceLimits = toResourceLimits(limits);
    for (const limit of resourceLimits) {
      const { version, folder } = chooseFolder(limit, { name, texts, resourceLimits });
      const group = join(folder, label);
      try {
        if (!made.has(group)) {
          removeLeftovers(folder);
          mkdirSync(group);
          made.set(group, version);
        }
        for (const [file, value] of settingsOf(limit, version, group)) writeFileSync(join(group, file), value);
      } catch (cause) {
        const reason = `${group} cannot be set up (${errorCodeOf(cause) ?? 'unknown'})`;
        throw unavailable(limit, { name, reason, remedy: `Give the host a control group that it may write to`, cause });
      }
    }
  } catch (error) {
    for (const group of made.keys()) removeNow(group);
    throw error;
  }
  const groups = [...made];
  let removing: Promise<void> | undefined;
  return {
    entrances: groups.map(([group]) => join(group, 'cgroup.procs')),
    ranOutOfMemory: () => groups.some(([group, version]) => countKills(group, version) > 0),
    [Symbol.asyncDispose]: () => (removing ??= removeAll([...made.keys()], clock)),
  };
}

interface ResourceLimit {
  readonly controller: Controller;
  readonly field: 'memoryMb' | 'processes';
  readonly amount: number;
}

function toResourceLimits({ memoryMb, processes }: Limits): readonly ResourceLimit[] {
  return [
    ...(memoryMb === undefined ? [] : [{ controller: 'memory', field: 'memoryMb', amount: memoryMb } as const]),
    ...(processes === undefined ? [] : [{ controller: 'pids', field: 'processes', amount: processes } as const]),
  ];
}

const PREFIX = 'plugboard-';
const BUBBLEWRAPS = 2; // two bubblewrap processes, outside and inside, wait for the server and are in its group

function settingsOf(
  { controller, amount }: ResourceLimit,
  version: 1 | 2,
  group: string,
): [file: string, value: string][] {
  if (controller === 'pids') return [['pids.max', `${amount + BUBBLEWRAPS}`]];
  const bytes = `${amount * 1_048_576}`;
  const isThere = ([file]: [string, string]): boolean => existsSync(join(group, file));
  // Limits swap as well, or memory would have no limit; a kernel without swap has no such file.
  if (version === 1) {
    const swap: [string, string] = ['memory.memsw.limit_in_bytes', bytes];
    return [['memory.limit_in_bytes', bytes], ...(isThere(swap) ? [swap] : [])];
  }
  const rest: [string, string][] = [
    ['memory.swap.max', '0'],
    ['memory.oom.group', '1'],
  ];
  return [['memory.max', bytes], ...rest.filter(isThere)];
}

interface Choice {
  readonly name: string;
  readonly texts: CgroupTexts;
  readonly resourceLimits: readonly ResourceLimit[];
}

/** Below our own group if possible; in version 2 only groups without processes can have limited children. */
function chooseFolder(limit: ResourceLimit, { name, texts, resourceLimits }: Choice): CgroupPlace {
  const { controller } = limit;
  const place = findCgroup(controller, texts);
  if (!place) {
    const reason = `there is no cgroup controller "${controller}" here`;
    throw unavailable(limit, { name, reason, remedy: 'Use a system with control groups' });
  }
  if (place.version === 1) return place;
  // A process is in one group of version 2 only, so that group must have all controllers.
  const wanted = resourceLimits
    .map((other) => other.controller)
    .filter((other) => findCgroup(other, texts)?.version === 2);
  for (const one of wanted) {
    const file = join(place.folder, SUBTREE);
    if (!listsController(file, one)) tryWrite(file, `+${one}`);
  }
  const folder = placesUpward(place).find(
    (path) =>
      wanted.every((one) => listsController(join(path, SUBTREE), one)) && tryWrite(join(path, 'cgroup.procs'), ''),
  );
  if (folder !== undefined) return { ...place, folder };
  const reason = `the cgroup controller "${controller}" is not delegated to any group of ours above ${place.folder}`;
  throw unavailable(limit, {
    name,
    reason,
    remedy: 'Start the host with: systemd-run --user --scope -p Delegate=yes ...',
  });
}

const SUBTREE = 'cgroup.subtree_control';

function listsController(file: string, controller: Controller): boolean {
  return readTextOrEmpty(file).split(/\s+/u).includes(controller);
}

/** Writing an empty text changes nothing, and shows whether writing is allowed. */
function tryWrite(file: string, text: string): boolean {
  return succeeds(() => writeFileSync(file, text, { flag: 'r+' }));
}

interface Obstacle {
  readonly name: string;
  readonly reason: string;
  readonly remedy: string;
  readonly cause?: unknown;
}

function unavailable({ field, amount }: ResourceLimit, { name, reason, remedy, cause }: Obstacle): HostError {
  const limit = field === 'memoryMb' ? `${amount} MB of memory` : `${amount} processes`;
  return new HostError('sandbox-unavailable', `Server "${name}" cannot be limited to ${limit}: ${reason}`, {
    hint: `${remedy}, or take "${field}" out of its sandbox`,
    cause,
  });
}

function countKills(group: string, version: 1 | 2): number {
  const text = readTextOrEmpty(join(group, version === 1 ? 'memory.oom_control' : 'memory.events'));
  return Number(/^oom_kill (\d+)$/mu.exec(text)?.[1] ?? 0);
}

/** Removes groups of dead hosts. The kernel refuses to remove a group that has processes. */
function removeLeftovers(folder: string): void {
  for (const name of listNames(folder)) {
    const pid = /^plugboard-(\d+)-[0-9a-f]{12}$/u.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) removeNow(join(folder, name));
  }
}

const TIMEOUT_MS = 2000; // ms; a killed process takes a moment to be gone

async function removeAll(groups: readonly string[], clock: Clock): Promise<void> {
  await Promise.all(groups.map((group) => remove(group, clock)));
}

async function remove(group: string, clock: Clock): Promise<void> {
  using _ = clock.hold(); // a program that waits only for this must not exit before it is done
  const deadline = clock.monotonic() + TIMEOUT_MS;
  for (let pauseMs = 2; !removeNow(group) && clock.monotonic() < deadline; pauseMs = Math.min(2 * pauseMs, 50)) {
    await pause(pauseMs, { clock });
  }
}

/** Returns false when the group still has processes. */
function removeNow(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== 'EBUSY';
  }
}

function listNames(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), []); // then no group can be created there either, which is reported
}
