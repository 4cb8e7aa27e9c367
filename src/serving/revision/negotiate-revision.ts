import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';
export function negotiateRevision(offered: unknown): string {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(offered) ? (offered as string) : LEGACY_VERSIONS[0];
}
export function hasBatches(revision: string): boolean {
  return revision <= '2025-03-26';
}
