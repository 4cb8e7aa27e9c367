import { folderToWrite, placesOf } from '../../src/edge/directories.js';
import { readBounded } from '../../src/edge/files/read-file.js';
import { watchFiles } from '../../src/edge/files/watch-files.js';
import { updateFile } from '../../src/edge/files/write-file.js';

/** The other process of the fault tests: `node driver.mjs COMMAND FILE ...`. Writes JSON lines to stdout. */
const [command, file = '', first = '', second = ''] = process.argv.slice(2);

const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
const { signal } = new AbortController();

const commands: Record<string, () => unknown> = {
  /** FILE PREFIX COUNT: adds COUNT keys, one in each update. */
  async add() {
    for (let index = 0; index < Number(second); index++) {
      await updateFile(file, (text) => JSON.stringify({ ...JSON.parse(text ?? '{}'), [`${first}${index}`]: index }));
    }
    say('done');
  },
  /** FILE TEXT STEP: writes TEXT and kills itself at step number STEP. */
  async die() {
    let step = 0;
    const onStep = (): void => {
      if (step++ === Number(second)) process.kill(process.pid, 'SIGKILL');
    };
    await updateFile(file, () => first, { onStep });
    say(step);
  },
  /** FILE: writes texts of one repeated letter until the process is killed. */
  async forever() {
    for (let index = 0; ; index++) {
      await updateFile(file, () => String.fromCodePoint(97 + (index % 26)).repeat(100_000));
      if (index === 0) say('started');
    }
  },
  /** FILE TEXT: writes TEXT and reports an error. */
  async update() {
    say(await updateFile(file, () => first).catch((error: unknown) => ({ error })));
  },
  read() {
    say(readBounded(file));
  },
  places() {
    const places = placesOf({ env: process.env, platform: process.platform });
    try {
      say({ places, folder: folderToWrite(places, 'config') });
    } catch (error) {
      say({ places, error });
    }
  },
  /** FILE: watches, which must not keep the process alive. */
  leave() {
    watchFiles([file], () => say('told'), { signal });
  },
  /** FILE: watches until stdin ends. */
  watch() {
    watchFiles([file], () => say('told'), { signal, debounceMs: 5, pollMs: 20 });
    process.stdin.on('end', () => process.exit()).resume();
    say('armed');
  },
};

await commands[command ?? '']?.();
