import type { Readable } from 'node:stream';

/** What a grandchild process shares with the server that starts it. */
export type Keeping =
  /** The process group, stdout and stderr. */
  | 'inherited'
  /** The environment only: the grandchild has a session of its own, and no stdio of the server. */
  | 'detached'
  /** Like `detached`, with an empty environment. */
  | 'bare';

/** Starts a process that ignores SIGTERM, SIGINT and SIGHUP. Resolves when it is ready; it exits after a minute. */
export async function startChildren(keeping: Keeping): Promise<void> {
  const { spawn } = await import('node:child_process');
  const shared = keeping === 'inherited' ? 'inherit' : 'ignore';
  // The mark is also an argument, so that the checker finds a process without environment by its command line.
  const child = spawn(process.execPath, ['-e', STUBBORN, process.env['PLUGBOARD_MARK'] ?? ''], {
    stdio: ['ignore', shared, shared, 'pipe'],
    detached: keeping !== 'inherited',
    ...(keeping === 'bare' && { env: {} }),
  });
  child.unref();
  const ready = child.stdio[3] as Readable;
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      ready.destroy();
      resolve();
    };
    ready.once('data', settle);
    child.once('exit', settle);
    child.once('error', settle);
  });
}

const STUBBORN = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
setTimeout(() => process.exit(), 60000);
require('fs').writeSync(3, 'ready');
require('fs').closeSync(3);
`;
