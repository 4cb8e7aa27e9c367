// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
import { MODERN_VERSIONS } from '../../wire/eras/envelope.js';
import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';

/** The version that answers `initialize`: what the client offers if it is a legacy one that we know, else the newest. */
export function negotiateRevision(offered: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === offered) ?? LEGACY_VERSIONS[0];
}

export function isModernRevision(revision: string): boolean {
  return MODERN_VERSIONS.some((version) => version === revision);
}

/** Batches came with JSON-RPC, and were taken out again. */
export function hasBatches(revision: string): boolean {
  return revision < SINCE.singleMessages;
}

/** Whether an event stream may begin with an event without data, from which a client learns an id to come back with. */
export function isPrimed(revision: string): boolean {
  return revision >= SINCE.primingEvents;
}

/** First revisions that have something; revisions are dates, and compare as texts. */
export const SINCE = {
  audio: '2025-03-26',
  completions: '2025-03-26',
  primingEvents: '2025-11-25',
  resourceLinks: '2025-06-18',
  singleMessages: '2025-06-18',
  tasks: '2025-11-25',
} as const;

/** Whether a revision has the tasks of 2025-11-25; later ones have others. */
export function hasLegacyTasks(revision: string): boolean {
  return revision >= SINCE.tasks && !isModernRevision(revision);
}
