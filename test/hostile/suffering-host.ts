import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Mode } from '../../src/testing/mode.js';
import { serveMode } from '../../src/testing/serve-mode.js';
import type { Figures, Job, Listening } from './figures.js';

/** The host under attack, in a separate process, so that its memory and CPU time can be told from the test's. */
export interface SufferingHost {
  /** undefined: the host process died. */
  suffer(
    mode: Mode,
    options: { readonly mark: string; readonly deadlines: Job['deadlines'] },
  ): Promise<Figures | undefined>;
  end(): Promise<void>;
}

export interface HostFiles {
  readonly folder: string;
  /** The bundled host.ts. */
  readonly host: string;
  /** The hostile server, bundled. */
  readonly server: string;
  /** A healthy server for the warm-up. */
  readonly good?: Listening | undefined;
}

/** Variables in the host's environment that no server may see. */
const SECRETS = { AWS_SECRET_ACCESS_KEY: 'x', GITHUB_TOKEN: 'x', OPENAI_API_KEY: 'x', DB_PASSWORD: 'x' };

export function startHost({ folder, host, server, good }: HostFiles): SufferingHost {
  const known = good ? [good.channel, good.url] : [];
  const child = spawn(process.execPath, ['--expose-gc', host, folder, server, ...known], {
    env: { PATH: process.env['PATH'], HOME: folder, ...SECRETS },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-4000)));
  child.stdin.on('error', () => {}); // the process died, which the end of its stdout reports
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (job: Job): Promise<Figures | undefined> => {
    child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await lines.next();
    if (done === true) process.stderr.write(stderr);
    return done === true ? undefined : (JSON.parse(value) as Figures);
  };
  return {
    async suffer(mode, { mark, deadlines }) {
      const isCalled = mode.expect.connect === 'ok' && mode.expect.call.kind !== 'untried';
      const padding = isCalled ? (mode.padding ?? 0) : undefined;
      const { setup = {} } = mode;
      if (mode.channel === 'stdio') {
        const isSandboxed = mode.needs === 'sandbox';
        const isShown = mode.expect.connect === 'ok' && mode.expect.shown !== undefined;
        const started = { script: server, mode: mode.name, mark, isSandboxed };
        return ask({ server: started, setup, deadlines, padding, isShown });
      }
      await using served = await serveMode(mode);
      const { url } = served;
      const figures = await ask({ server: { channel: mode.channel, url }, setup, deadlines, padding });
      // Counted after the connection is closed, because the request that ends a session can go to a wrong address, too.
      return figures && { ...figures, counts: served.counts() };
    },
    async end() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
