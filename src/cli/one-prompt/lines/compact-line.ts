import type { SessionEvent } from '../../../session/index.js';

/** The lines about a conversation that is made shorter; none for other events. */
export function toCompactLines(event: SessionEvent): readonly object[] {
  if (event.kind === 'compacting') return [{ ...STATUS, status: 'compacting' }];
  if (event.kind === 'compacted') {
    const { trigger, before, after } = event;
    return [
      { ...STATUS, status: null, compact_result: 'success' },
      {
        type: 'system',
        subtype: 'compact_boundary',
        compact_metadata: { trigger, pre_tokens: before, post_tokens: after },
      },
    ];
  }
  if (event.kind !== 'compact-failed') return [];
  return [{ ...STATUS, status: null, compact_result: 'failed', compact_error: event.error.message }];
}

const STATUS = { type: 'system', subtype: 'status' } as const;
