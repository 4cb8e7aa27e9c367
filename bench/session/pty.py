# Runs programs on a terminal of their own, one at a time. A line of stdin is a run: argv, env, cwd, rows, columns, typed (sent before the
# program is there), limit in seconds, and steps: a step waits until what the program has written since the last sending matches, notes where the
# process is, and may send something. A line of stdout is what came of it: for each step ms since the start, CPU ms, and KB resident now and
# at most. CPU is of the process alone, with all its threads. Why not in Node: it has no terminals to give away.
import fcntl, json, os, re, select, signal, struct, sys, termios, time

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
HANGUP_S = 5  # from the hangup to the end of the program; what is still there then is killed


def resident(pid):
    found = {}
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(("VmHWM:", "VmRSS:")):
                found[line[:5]] = int(line.split()[1])
    return found.get("VmRSS"), found.get("VmHWM")


def cpu_ms(pid):
    # The clock of the process: to the nanosecond, where /proc/PID/stat counts in ticks of 10 ms.
    return time.clock_gettime((~pid << 3) | 2) * 1000


def perform(run):
    terminal, other = os.openpty()
    name = os.ttyname(other)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", run["rows"], run["columns"], 0, 0))
    os.chdir(run["cwd"])
    os.write(terminal, run["typed"].encode())
    # Opened by the leader of a session of its own, it becomes its terminal.
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
        (os.POSIX_SPAWN_CLOSE, other),
        (os.POSIX_SPAWN_CLOSE, terminal),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(run["argv"][0], run["argv"], run["env"], file_actions=actions, setsid=True)
    os.close(other)
    try:
        return follow(run, terminal, pid, started)
    finally:
        os.close(terminal)
        finish(pid)


def follow(run, terminal, pid, started):
    steps, written = [], b""
    deadline = started + run["limit"]
    for step in run["steps"]:
        awaited = re.compile(step["wait"])
        while not awaited.search(ESCAPES.sub("", written.decode("utf8", "replace"))):
            left = deadline - time.perf_counter()
            ready = select.select([terminal], [], [], max(left, 0))[0] if left > 0 else []
            if not ready:
                return {"steps": steps, "why": f"{step['wait']} did not come", "seen": tail(written)}
            try:
                written += os.read(terminal, 65536)
            except OSError:  # the program has ended
                return {"steps": steps, "why": f"it ended before {step['wait']}", "seen": tail(written)}
        wall = (time.perf_counter() - started) * 1000
        cpu = cpu_ms(pid)
        now, most = resident(pid)
        steps.append({"wall": wall, "cpu": cpu, "rss": now, "peak": most})
        if "send" in step:
            written = b""
            os.write(terminal, step["send"].encode())
    return {"steps": steps}


def tail(written):
    return ESCAPES.sub("", written.decode("utf8", "replace"))[-600:]


def finish(pid):
    deadline = time.perf_counter() + HANGUP_S
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.perf_counter() > deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


try:
    # Whoever looks has to be there when it happens, also where programs wait for a processor. The programs do not inherit it.
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
except (AttributeError, OSError):
    pass  # not allowed: what is measured is a little late on a busy machine

for line in sys.stdin:
    print(json.dumps(perform(json.loads(line))), flush=True)
