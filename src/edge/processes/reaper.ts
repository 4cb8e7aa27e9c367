import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { LockOwner } from '../files/lock-owner.js';
import { spawnApart } from './spawn-apart.js';

export interface ReaperOptions {
  /** The id of this host is in the environment of everything that it starts. */
  readonly host: LockOwner;
  /** The journal to remove after the work; empty if there is none. */
  readonly journal: string;
  readonly stray: () => readonly number[];
}

/** A group: the pid of its leader, and when that started; '0' where the system does not report it. */
export interface StartedGroup {
  readonly pid: number;
  readonly started: string;
}

/**
 * A shell that waits for the end of a pipe, and so of this process, even by `kill -9`. Then it kills the groups that
 * were added and all processes with the mark. Never throws or waits; without a shell there is no reaper.
 */
export class Reaper {
  readonly #options: ReaperOptions;
  #child: ChildProcess | undefined;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /** Adds a group. Starts the reaper, with all groups, if it does not run. */
  add(group: StartedGroup, all: Iterable<StartedGroup>): void {
    if (process.platform === 'win32') return;
    if (this.#child) this.#tell(`start ${group.pid} ${group.started}\n`);
    else this.#start(all);
  }

  delete(pid: number): void {
    this.#tell(`end ${pid}\n`);
  }

  /** Ends the reaper; it kills nothing. */
  [Symbol.dispose](): void {
    this.#tell('bye\n');
    (this.#child?.stdin as Socket | undefined)?.end();
    this.#child = undefined;
  }

  #start(groups: Iterable<StartedGroup>): void {
    try {
      const { host, journal, stray } = this.#options;
      const child = spawnApart({
        command: '/bin/sh',
        args: ['-c', REAPER_SCRIPT, 'plugboard-reaper', host.id, journal],
        cwd: '/',
        // Not our own environment, which may hold an outer host's mark. The system's programs come before the user's.
        // SHLVL tells bash that it is not a remote shell, for which it would read the user's .bashrc.
        env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}`, LC_ALL: 'C', SHLVL: '2' },
        stdio: ['pipe', 'ignore', 'ignore'],
        stray: stray(),
      });
      child.on('error', () => {}); // no shell: only the journal remains
      if (child.pid === undefined) return;
      this.#child = child;
      child.once('exit', () => {
        if (this.#child === child) this.#child = undefined;
      });
      child.unref();
      const pipe = child.stdin as Socket;
      pipe.on('error', () => {}); // the reaper was killed; the next server starts another one
      pipe.unref();
      this.#tell([...groups].map(({ pid, started }) => `start ${pid} ${started}\n`).join(''));
    } catch {
      // no descriptor or process left: the next start tries again
    }
  }

  #tell(line: string): void {
    const child = this.#child;
    if (!child) return;
    const pipe = child.stdin as Socket;
    if (pipe.writableLength + line.length > MOST_WAITING) {
      // The reaper is stopped (SIGSTOP). Killed first: it must not take the end of the pipe for the end of this host.
      child.kill('SIGKILL');
      pipe.destroy();
      this.#child = undefined;
    } else if (pipe.writable) pipe.write(line);
  }
}

const MOST_WAITING = 64 * 1024;
const SHORTEST_MARK = 41; // a host's id whose pid and start time have one digit

/**
 * For any POSIX shell. Refuses anything but a whole mark: a short text would be found in every environment. Leaves a
 * group alone if its leader's start time shows that the pid was reused. Finds the descendants of a running leader,
 * whatever their group, before it kills anything. Looks for processes with the mark until two scans in a row find none,
 * because more may have been started meanwhile.
 */
export const REAPER_SCRIPT = `
mark=$1 journal=$2 groups=' '
case $mark in *[!0-9a-f-]*) exit 1 ;; esac
[ \${#mark} -ge ${SHORTEST_MARK} ] || exit 1
trap '' HUP INT QUIT TERM TSTP TTIN TTOU PIPE USR1 USR2 ALRM
while read -r verb group started; do
  case $verb in
    start) groups="$groups$group/$started " ;;
    end)
      case $groups in *" $group/"*)
        rest=\${groups#*" $group/"}
        groups="\${groups%%" $group/"*} \${rest#* }"
      esac ;;
    bye) exit 0 ;;
  esac
done
sure=' '
for entry in $groups; do
  group=\${entry%/*} last=
  while read -r line; do last=$line; done < "/proc/$group/stat"
  set -- \${last##*) }
  [ "$group" -gt 1 ] && [ "\${20:-\${entry#*/}}" = "\${entry#*/}" ] && sure="$sure$group "
done
tree=$sure table=
[ "$sure" = ' ' ] || for file in /proc/[0-9]*/stat; do
  last=
  while read -r line; do last=$line; done < "$file"
  set -- \${last##*) }
  file=\${file#/proc/} table="$table \${file%/stat}/$2"
done
more=1
while [ $more = 1 ]; do
  more=0
  for pair in $table; do
    case $tree in *" \${pair#*/} "*)
      case $tree in *" \${pair%/*} "*) ;; *) tree="$tree\${pair%/*} " more=1 ;; esac
    esac
  done
done
for pid in $sure; do kill -KILL "-$pid"; done
for pid in $tree; do [ "$pid" -gt 1 ] && { kill -KILL "-$pid"; kill -KILL "$pid"; }; done
clean=2 round=0
cd /proc && command -v grep && clean=0
while [ $clean -lt 2 ] && [ $round -lt 40 ]; do
  [ $round -gt 0 ] && { sleep 0.05 || sleep 1; }
  round=$((round + 1)) clean=$((clean + 1))
  for file in $(grep -lsF -e "$mark" [0-9]*/environ); do
    pid=\${file%/environ} clean=0
    [ "$pid" -gt 1 ] && { kill -KILL "-$pid"; kill -KILL "$pid"; }
  done
done
[ $clean -lt 2 ] || [ -z "$journal" ] || rm -f -- "$journal"
`;
