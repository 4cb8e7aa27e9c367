import type { ConfigContext } from '../actions/action-place.js';
import { describeSurroundings } from '../session/index.js';
import type { Io } from './io.js';
import type { SessionFlags } from './input/session-flags.js';

/** What the model is told of working directory, platform and date, and the text of --append-system-prompt. */
export function environmentOf({ cwd, platform }: ConfigContext, { now }: Io, flags: SessionFlags): string {
  const here = describeSurroundings({ cwd, platform, date: now() });
  return flags.appendSystemPrompt === undefined ? here : `${here}\n\n${flags.appendSystemPrompt}`;
}
