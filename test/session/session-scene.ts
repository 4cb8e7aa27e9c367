import { type Entries, openScene, type Scene } from '../host/scene.js';
import { loadHostConfig } from '../../src/config/load.js';
import { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import type { HostOptions } from '../../src/host/host-options.js';
import { Session } from '../../src/session/session.js';
import type { Invocation } from '../../src/cli/input/arguments.js';
import type { Io } from '../../src/cli/io.js';
import { DialogQueue } from '../../src/cli/session/asking.js';
import type { Command, CommandContext } from '../../src/cli/session/command.js';
import { FakeScreen } from './fake-screen.js';

/** A session for tests, without a model, over real servers, on a `FakeScreen`. */
export interface SessionScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly screen: FakeScreen;
  readonly host: Host;
  readonly session: Session;
  readonly context: CommandContext;
  readonly stopping: AbortController;
  /** Runs a command and returns what it printed. */
  readonly run: (command: Command, ...words: readonly string[]) => Promise<string>;
}

export async function openSessionScene(
  entries: Entries,
  options: {
    readonly host?: HostOptions;
    readonly isPlain?: boolean;
    /** Called before the configuration is loaded. */
    readonly prepare?: (scene: Scene) => void;
  } = {},
): Promise<SessionScene> {
  const scene = openScene();
  scene.configure(entries);
  options.prepare?.(scene);
  const where = { cwd: scene.project, env: scene.env, managedDirectories: [], ...options.host };
  const loaded = await loadHostConfig(where);
  const screen = new FakeScreen(options);
  const session = new Session({
    openHost: (more) => Host[inside](loaded, { ...where, watch: false, ...more }),
    onEvent: () => {},
  });
  const stopping = new AbortController();
  const io = fakeIo(scene, screen);
  const context: CommandContext = {
    screen,
    io,
    invocation: NO_FLAGS,
    session,
    config: loaded.context,
    asking: new DialogQueue({ onChange: () => {} }),
    agents: [],
    chooseModel: () => Promise.reject(new Error('a test has no model')),
    settings: { isVerbose: false },
    kept: undefined,
    resumeNext: () => {},
    signal: stopping.signal,
  };
  return {
    scene,
    screen,
    host: session.host,
    session,
    context,
    stopping,
    async run(command, ...words) {
      const from = screen.text.length;
      await command.run(context, words);
      return screen.text.slice(from);
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

/** Streams that write to the screen. */
export function fakeIo({ env }: Pick<Scene, 'env'>, screen: FakeScreen): Io {
  const output = { isTerminal: true, columns: 80, write: (text: string) => screen.print(text.trimEnd()) };
  return {
    env,
    stdout: output,
    stderr: output,
    stdin: {
      isTerminal: true,
      read: () => Promise.resolve(''),
      ask: (question, signal) => screen.ask(question, { signal }),
      askSecret: (question, signal) => screen.ask(question, { signal, isSecret: true }),
    },
    now: () => new Date('2026-11-16T12:00:00Z'),
  };
}

export const NO_FLAGS: Invocation = {
  verb: { name: 'session', usage: '', summary: '', run: () => Promise.reject(new Error('a test runs no verb')) },
  positionals: [],
  command: undefined,
  isEmpty: true,
  has: () => false,
  value: () => undefined,
  values: () => [],
};
