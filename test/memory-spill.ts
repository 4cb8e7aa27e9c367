import type { SpillPart, SpillStore } from '../src/model/spilled.js';

/** A SpillStore that keeps its parts in memory for inspection, at the places `part-0`, `part-1` and so on. */
export class MemorySpill implements SpillStore {
  readonly parts: { readonly chunks: Uint8Array[]; state: 'open' | 'ended' | 'discarded' }[] = [];

  open(): SpillPart {
    const part = { chunks: [] as Uint8Array[], state: 'open' as 'open' | 'ended' | 'discarded' };
    const place = `part-${this.parts.push(part) - 1}`;
    return {
      write: (bytes) => void part.chunks.push(Uint8Array.from(bytes)),
      end: () => {
        part.state = 'ended';
        return Promise.resolve(place);
      },
      discard: () => {
        part.state = 'discarded';
        return Promise.resolve();
      },
    };
  }

  textOf(place: string): string {
    return Buffer.concat(this.parts[Number(place.slice(5))]!.chunks).toString('utf8');
  }
}
