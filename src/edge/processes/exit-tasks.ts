/**
 * Runs a task when this process exits, for whatever reason; the task must be synchronous. One listener serves all
 * hosts, because Node warns of a leak from the eleventh on. The listener holds the list, so that no module has state.
 */
export function addExitTask(task: () => void): void {
  const known = exitListener();
  if (known) return void known[TASKS].add(task);
  const tasks = new Set([task]);
  process.on(
    'exit',
    Object.assign(() => runAll(tasks), { [TASKS]: tasks }),
  );
}

/** Ignores a task that was never added. The last one takes the listener with it. */
export function deleteExitTask(task: () => void): void {
  const known = exitListener();
  if (known?.[TASKS].delete(task) === true && known[TASKS].size === 0) process.off('exit', known);
}

/** Global, so that two copies of this module in one process (the library's and the program's) share the listener. */
const TASKS = Symbol.for('plugboard.exit-tasks');

interface ExitListener {
  (): void;
  readonly [TASKS]: Set<() => void>;
}

function exitListener(): ExitListener | undefined {
  return process.listeners('exit').find((listener): listener is ExitListener => TASKS in listener);
}

function runAll(tasks: ReadonlySet<() => void>): void {
  for (const task of tasks) {
    try {
      task();
    } catch {
      // The process is exiting: only the other tasks matter.
    }
  }
}
