import type { HostError } from '../base/errors.js';
import type { Connection } from '../connection/connection.js';
import { setAside, UNCOMPARED } from '../guard/pins.js';
import { gateLine } from '../model/text-gate.js';
import type { AskOptions } from './answered.js';
import type { PinWatch } from './pin-watch.js';
import { untilSaid } from './until-told.js';

/** Why a prompt may not be used that is no longer what `mcp.lock` pins; undefined where nothing is against it. Never rejects. */
export async function judgePrompt(
  pins: PinWatch,
  connection: Connection,
  name: string,
  { timeoutMs = SAID_MS, signal }: AskOptions,
): Promise<HostError | undefined> {
  const { name: server, clock, catalog } = connection;
  if (!pins.isPinned(server)) return undefined;
  const late = await untilSaid(connection, { kind: 'prompts', clock, timeoutMs, signal });
  if (late) return late;
  const prompt = await catalog.prompt(name);
  const reason = prompt ? pins.judgePrompt(server, prompt) : UNCOMPARED;
  if (reason === undefined) return undefined;
  return setAside(`Prompt "${gateLine(name, { limit: 100 }).text}"`, server, reason);
}

const SAID_MS = 120_000; // as for any answer of a server
