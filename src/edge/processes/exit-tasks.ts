/**
 * What is to be done when this process ends, whoever ends it: it must not wait for anything. However many hosts there are, one listener
 * does it for all of them: node warns of a leak from the eleventh on. The process itself keeps the list, so that no module does.
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

/** Fine for one that was never added. The last one takes the listener with it. */
export function deleteExitTask(task: () => void): void {
  const known = exitListener();
  if (known?.[TASKS].delete(task) === true && known[TASKS].size === 0) process.off('exit', known);
}

/** Two copies of this module in one process, the library's and the program's for instance, find the same one. */
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
      // The process is over: what the others have to do is all that is left.
    }
  }
}
