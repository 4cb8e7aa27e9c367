import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway, startProgram, suiteUpstream } from '../../gateway/start-gateway.js';
import type { ServerRun } from './server-run.js';

export interface StageOptions {
  /** The root of the repository. */
  readonly root: string;
  /** The folder for what a run writes. */
  readonly scratch: string;
  readonly isDirect: boolean;
  /** `settings.gateway.streamAfterMs`; undefined: the default. */
  readonly streamAfterMs?: number;
}

/** The upstream of a run, and the gateway before it. */
export interface ServerStage extends AsyncDisposable {
  readonly url: string;
}

export async function openServerStage(run: ServerRun, options: StageOptions): Promise<ServerStage> {
  const home = mkdtempSync(join(options.scratch, 'home-'));
  const state = join(home, 'upstream.json');
  writeFileSync(state, '{}');
  const upstream = [...suiteUpstream(run.era, options.root), '--state', state];
  if (run.transport === 'stdio') {
    const entry = { type: 'stdio', command: process.execPath, args: [...upstream, '--stdio'] };
    return startBefore(entry, { ...options, home });
  }
  const server = await startProgram([...upstream, '--http', '0'], home);
  const url = `http://127.0.0.1:${server.line}/mcp`;
  if (options.isDirect) return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  try {
    const gateway = await startBefore({ type: 'http', url }, { ...options, home });
    const end = async (): Promise<void> => {
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    };
    return { url: gateway.url, [Symbol.asyncDispose]: end };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function startBefore(
  entry: object,
  { root, home, streamAfterMs }: StageOptions & { readonly home: string },
): Promise<ServerStage> {
  const settings = streamAfterMs === undefined ? {} : { streamAfterMs };
  const gateway = await startGateway({ root, home, servers: { upstream: entry }, settings });
  return { url: `${gateway.origin}/mcp/upstream`, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}
