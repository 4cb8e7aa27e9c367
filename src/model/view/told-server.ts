import type { ServerSnapshot, ViewedServer } from './model-view-server.js';
import type { ShownSkill } from './model-view-skills.js';
import { toUnavailability } from './model-view-system.js';

/** What the model knows of a server. */
export interface ToldServer {
  readonly revision: string;
  readonly unavailability: ReturnType<typeof toUnavailability>;
  readonly instructions: string;
  readonly hasResources: boolean;
  readonly skills: readonly ShownSkill[];
  readonly viewed: ViewedServer;
}

export function toTold(offer: ServerSnapshot, viewed: ViewedServer, before: ToldServer | undefined): ToldServer {
  const isToTell = offer.isCatalogPending === true && offer.state === 'connected';
  const unavailability = isToTell ? 'connecting' : toUnavailability(offer.state);
  return {
    revision: offer.revision,
    // A server that is only reconnecting will be back, so it is not reported.
    unavailability: unavailability === 'connecting' && before !== undefined ? before.unavailability : unavailability,
    instructions: offer.instructions?.trim() ?? '',
    hasResources: offer.hasResources,
    skills: offer.skills ?? [],
    viewed,
  };
}

/** Whether waiting for the server's list is pointless. */
export function isOut({ state }: ServerSnapshot): boolean {
  const unavailability = toUnavailability(state);
  return unavailability === 'failed' || unavailability === 'needs-auth';
}

/** What to tell about the state of a server; undefined: nothing. */
export function stateChange(
  before: ToldServer | undefined,
  after: ToldServer,
): 'here' | 'failed' | 'needs-auth' | undefined {
  const { unavailability } = after;
  if (unavailability === 'connecting' || (before !== undefined && unavailability === before.unavailability))
    return undefined;
  if (unavailability !== undefined) return unavailability;
  // New tools already show that their server is available.
  const isTold = before === undefined || before.unavailability === 'connecting';
  return isTold && after.viewed.tools.size > 0 ? undefined : 'here';
}
