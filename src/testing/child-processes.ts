import type { Readable } from 'node:stream';

/** How a grandchild is kept by the one who started it. */
export type Keeping =
  /** In the same group, with our stdout and stderr. */
  | 'inherited'
  /** In a session of its own, with nothing of ours. */
  | 'detached'
  /** The same, without a single variable of ours. */
  | 'bare';

/** A process that ignores every polite request to end. Ready when this resolves; gone by itself after a minute. */
export async function startChildren(keeping: Keeping): Promise<void> {
  const { spawn } = await import('node:child_process');
  const shared = keeping === 'inherited' ? 'inherit' : 'ignore';
  // Who looks for what is left finds one without variables by its command line.
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
