import { join } from 'node:path';
import { recordKeyOf } from '../../auth/sign-in-services.js';
import { keptSignIn } from '../../auth/store/kept-sign-in.js';
import type { ConfigContext } from '../../config/context.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { guestId, toTarget } from './sign-in-targets.js';

/** The URL of a sign-in, made through another entry, that a repository's entry would use: its approval must show it. */
export function sharedSignIn(server: ConfiguredServer, { places: { state } }: ConfigContext): string | undefined {
  const target = toTarget(server, undefined);
  if (!target?.guest || state === undefined) return undefined;
  const kept = keptSignIn(join(state, 'credentials'), recordKeyOf(target));
  return kept && kept.by !== guestId(server) ? kept.shown : undefined;
}
