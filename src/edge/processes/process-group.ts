import { attempt, succeeds } from '../../base/attempt.js';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readStat } from './process-stat.js';

// A process group is a server and what it started, named by the server's pid. A descendant that opens a session of its
// own (setsid) leaves the group and is found by its mark (process-mark.ts).

/** Windows has no signals: only SIGKILL has an effect there, and ends the whole process tree. */
export function signalGroup(pid: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform !== 'win32') send(pid, signal);
  else if (signal === 'SIGKILL') {
    const { file, args } = taskkill(pid);
    process.getBuiltinModule('node:child_process').execFile(file, args, { windowsHide: true }, () => {}); // a process tree that is gone already is no error
  }
}

/** For the exit of the host, when nothing asynchronous runs any more. */
export function killGroupNow(pid: number): void {
  if (process.platform !== 'win32') send(pid, 'SIGKILL');
  else {
    const { file, args } = taskkill(pid);
    try {
      process
        .getBuiltinModule('node:child_process')
        .execFileSync(file, args, { windowsHide: true, stdio: 'ignore', timeout: TASKKILL_MS });
    } catch {
      // gone already, or no permission: the host exits either way
    }
  }
}

/** Kills a process and any group it leads, whose number no other group can have while it exists. */
export function killNow(pid: number): void {
  if (pid <= 1) return; // the system takes -1 for all processes
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // gone meanwhile, or no leader of a group
    }
  }
}

/**
 * Whether a process of the group still runs after the server itself has exited. Zombies do not count: in a container
 * without init they stay in the group for ever.
 */
export function isGroupRunning(pid: number): boolean {
  if (process.platform === 'win32' || !send(pid, 0)) return false;
  return process.platform !== 'linux' || hasRunningMember(pid);
}

const TASKKILL_MS = 2000;

/** Returns false when no process could be signalled. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  return succeeds(() => process.kill(-pid, signal)); // ESRCH: all gone. EPERM: only other users' processes, or on macOS only zombies
}

function taskkill(pid: number): { file: string; args: string[] } {
  // By its full path, because Windows would search the working directory first.
  const file = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  return { file, args: ['/PID', `${pid}`, '/T', '/F'] };
}

function hasRunningMember(group: number): boolean {
  // Without /proc, the successful signal has to do.
  return attempt(
    () => readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isRunningMember(entry, group)),
    true,
  );
}

function isRunningMember(pid: string, group: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.group === group && !stat.dead;
}
