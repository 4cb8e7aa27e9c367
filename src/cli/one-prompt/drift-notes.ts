import { driftSentence } from '../../host/drift.js';
import type { Host } from '../../host/host.js';
import { showLine } from '../show.js';

/** Servers that are not what `mcp.lock` pins, a note each; of one that has not been asked, as it was the last time. */
export function driftNotes(host: Host): readonly string[] {
  return host.servers().flatMap(({ name }) => {
    const drift = host.drift(name);
    return drift ? [showLine(`warning ${driftSentence(name, drift)}`)] : [];
  });
}
