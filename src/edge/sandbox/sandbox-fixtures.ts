import { systemClock } from '../clock.js';
import { readCgroupTexts } from './cgroup-place.js';
import { openLimitGroup } from './limit-group.js';
import { SandboxHost } from './sandbox.js';

/** For tests: why there is no sandbox here, for the names of skipped tests; undefined when there is one. */
export async function noSandbox(): Promise<string | undefined> {
  const host = new SandboxHost({ env: process.env, platform: process.platform });
  const ability = await host.ability({ network: false });
  return ability.kind === 'able' ? undefined : `not here: ${ability.reason}`;
}

/** Like `noSandbox`, for limits of memory and processes. */
export async function noLimits(): Promise<string | undefined> {
  const none = await noSandbox();
  if (none !== undefined) return none;
  try {
    const limits = { memoryMb: 64, processes: 10 };
    await using group = openLimitGroup(limits, { name: 'probe', texts: readCgroupTexts(), clock: systemClock });
    return group.entrances.length > 0 ? undefined : 'not here: there is no group';
  } catch (error) {
    return `not here: ${String(error)}`;
  }
}
