# Runs the plan on stdin, one child at a time, and prints one JSON line per child: case, wall ms, CPU ms, exit status, and
# CPU ms without the children that it waited for, or null where the kernel does not tell.
# Why not in Node: see processes.mjs.
import json, os, signal, sys, time

plan = json.load(sys.stdin)
cases = plan["cases"]
quiet = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
running = 0


def give_up(*_):
    if running:
        os.kill(running, signal.SIGKILL)


def own_cpu(pid):
    # rusage is of a process and of the children it has waited for. Its own clock is not, and runs until it is reaped.
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return time.clock_gettime((~pid << 3) | 2) * 1000
    except (AttributeError, OSError):
        return None


signal.signal(signal.SIGALRM, give_up)
for turn in range(plan["rounds"]):
    # Another case is first in each round, so that none always follows the same neighbour.
    for place in range(len(cases)):
        index = (place + turn) % len(cases)
        case = cases[index]
        if turn % case["every"] != 0:
            continue
        os.chdir(case["cwd"])
        signal.alarm(plan["timeout"])
        started = time.perf_counter()
        # posix_spawn is a vfork: the child is not charged for copying the page tables of this interpreter.
        running = os.posix_spawn(case["argv"][0], case["argv"], case["env"], file_actions=quiet)
        own = own_cpu(running)
        _, status, usage = os.wait4(running, 0)
        wall = time.perf_counter() - started
        running = 0
        signal.alarm(0)
        cpu = usage.ru_utime + usage.ru_stime
        print(json.dumps([index, wall * 1000, cpu * 1000, os.waitstatus_to_exitcode(status), own]), flush=True)
