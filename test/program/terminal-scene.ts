import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import { untilFound } from '../hang-guard.js';
import { again, openTmux, type Tmux } from './tmux.js';

export interface Stage extends Tmux {
  /** Types the text literally, without Enter. */
  readonly write: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly paste: (text: string) => void;
  /** Resolves with all rows, scrollback included, when they match. */
  readonly untilRows: (isSo: (rows: readonly string[]) => boolean) => Promise<readonly string[]>;
  /** Presses a key at a question until it is accepted and the text is on the screen. */
  readonly answer: (key: string, text: string) => Promise<void>;
  /** `column,row` of the cursor, counted from 0. */
  readonly cursor: () => string;
  /** Sends a signal to the driver. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** Closes the terminal as if its window were closed. Resolves with what the script wrote to the file `ended`. */
  readonly close: () => Promise<string>;
  /** The bytes that the program has written. */
  readonly written: () => string;
}

export interface StageOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Bundles terminal-driver.ts into a folder. */
export async function buildDriver(folder: string): Promise<string> {
  const driver = join(folder, 'driver.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'terminal-driver.ts')],
    outfile: driver,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['sharp'],
  });
  return driver;
}

/** Opens scenes of terminal-driver.ts, each in its own terminal. $DRIVER is the driver. */
export function useStages(): (context: TestContext, script: string, options?: StageOptions) => Promise<Stage> {
  let root: string;
  let driver: string;
  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-screen-')));
    driver = await buildDriver(root);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return async (context, script, { columns = 60, rows = 20, env = {} } = {}) => {
    const home = mkdtempSync(join(root, 'home-'));
    const log = join(home, 'written');
    const begun = `while [ ! -e ready ]; do sleep 0.01; done; ${script}`;
    const all = { DRIVER: `${process.execPath} ${driver}`, ...env };
    const terminal = openTmux(context, { home, cwd: home, script: begun, env: all, columns });
    const tmux = (args: readonly string[], input = ''): string =>
      execFileSync('tmux', ['-u', '-S', join(home, 'tmux'), ...args], { encoding: 'utf8', input });
    const capture = (): string[] => tmux(['capture-pane', '-p', '-S', '-']).trimEnd().split('\n');
    const show = (): string => capture().join('\n');
    tmux(['resize-window', '-x', String(columns), '-y', String(rows)]);
    tmux(['pipe-pane', `cat > ${log}`]);
    execFileSync('touch', [join(home, 'ready')]);
    return {
      ...terminal,
      write: (text) => void tmux(['send-keys', '-l', text]),
      resize: (width, height) => void tmux(['resize-window', '-x', String(width), '-y', String(height)]),
      paste(text) {
        tmux(['load-buffer', '-'], text);
        tmux(['paste-buffer', '-p', '-r']);
      },
      untilRows: (isSo) => untilFound(() => [capture()].find(isSo), { show, everyMs: LOOK_MS }),
      async answer(key, text) {
        const press = again(() => tmux(['send-keys', key]));
        const isTaken = (): boolean => capture().some((row) => row.includes(text));
        await untilFound(() => isTaken() || press(), { show, everyMs: LOOK_MS });
      },
      cursor: () => tmux(['display-message', '-p', '#{cursor_x},#{cursor_y}']).trim(),
      signal(name) {
        const shell = Number(tmux(['display-message', '-p', '#{pane_pid}']));
        const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').split(' ');
        process.kill(Number(child), name);
      },
      async close() {
        tmux(['split-window', '-d', 'sleep 600']);
        tmux(['kill-pane']);
        const ended = join(home, 'ended');
        return await untilFound(() => (existsSync(ended) ? readFileSync(ended, 'utf8') : undefined));
      },
      written: () => readFileSync(log, 'utf8'),
    };
  };
}

const LOOK_MS = 50; // each look starts a process
