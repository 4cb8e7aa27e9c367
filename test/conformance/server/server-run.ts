/** One of the eight: what the suite speaks, and what the gateway speaks upstream. */
export interface ServerRun {
  readonly revision: '2025-11-25' | '2026-07-28';
  readonly era: 'legacy' | 'modern';
  readonly transport: 'stdio' | 'http';
}

const revisions = ['2025-11-25', '2026-07-28'] as const;
const eras = ['legacy', 'modern'] as const;
const transports = ['stdio', 'http'] as const;

export const serverRuns: readonly ServerRun[] = revisions.flatMap((revision) =>
  eras.flatMap((era) => transports.map((transport) => ({ revision, era, transport }))),
);

/** Upstreams that the suite can ask itself: it speaks HTTP alone, and each upstream one era. */
export const directRuns: readonly ServerRun[] = [
  { revision: '2025-11-25', era: 'legacy', transport: 'http' },
  { revision: '2026-07-28', era: 'modern', transport: 'http' },
];

export function toTitle({ revision, era, transport }: ServerRun): string {
  return `${revision}, ${era} ${transport}`;
}
