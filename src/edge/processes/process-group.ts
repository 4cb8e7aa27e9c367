import { attempt, succeeds } from '../../base/attempt.js';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readStat } from './process-stat.js';

// A server and what it started, named by the server's pid. A grandchild that opens a session of its own (setsid) is no
// longer in it: those are found by their mark (process-mark.ts).

/** Windows has no signals: there only SIGKILL does anything, and ends the whole tree. */
export function signalGroup(pid: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform !== 'win32') send(pid, signal);
  else if (signal === 'SIGKILL') {
    const { file, args } = taskkill(pid);
    process.getBuiltinModule('node:child_process').execFile(file, args, { windowsHide: true }, () => {}); // a tree that is gone already is no mistake
  }
}

/** For the last moment of the host, when nothing asynchronous runs any more. */
export function killGroupNow(pid: number): void {
  if (process.platform !== 'win32') send(pid, 'SIGKILL');
  else {
    const { file, args } = taskkill(pid);
    try {
      process
        .getBuiltinModule('node:child_process')
        .execFileSync(file, args, { windowsHide: true, stdio: 'ignore', timeout: TASKKILL_MS });
    } catch {
      // gone already, or out of reach: the host ends either way
    }
  }
}

/** A process and, should it lead a group, the group: that was made by it, and its number is nobody else's as long as it is used. */
export function killNow(pid: number): void {
  if (pid <= 1) return; // to the system -1 is everybody
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // gone meanwhile, or it leads no group
    }
  }
}

/**
 * Whether anything of the group still runs, once the server itself has exited. A member that was killed and that nobody
 * waits for stays in the group, in a container without init for ever, and does not count.
 */
export function isGroupRunning(pid: number): boolean {
  if (process.platform === 'win32' || !send(pid, 0)) return false;
  return process.platform !== 'linux' || hasRunningMember(pid);
}

const TASKKILL_MS = 2000;

/** False: there is nobody that we could signal. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  return succeeds(() => process.kill(-pid, signal)); // ESRCH: all gone. EPERM: only others' processes, or on macOS only dead ones
}

function taskkill(pid: number): { file: string; args: string[] } {
  // By its full path: Windows would look in the working directory first.
  const file = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  return { file, args: ['/PID', `${pid}`, '/T', '/F'] };
}

function hasRunningMember(group: number): boolean {
  // No /proc to look into: the signal that got through has to do.
  return attempt(
    () => readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isRunningMember(entry, group)),
    true,
  );
}

function isRunningMember(pid: string, group: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.group === group && !stat.dead;
}
