import type { Host } from '../../index.js';
import { driftSentence } from '../../model/pins/drift-text.js';
import { showLine } from '../../model/show.js';

/**
 * What is known of the flags and the servers only at the end, a note each: `--allow` and `--deny` that mean nothing, because whoever typed
 * one believes that it counts, and servers that are not what `mcp.lock` pins; of one that has not been asked, as it was the last time.
 */
export function addEndNotes(notes: string[], host: Host): void {
  for (const { rule, meant } of host.unmatchedFlags()) {
    const more = meant === undefined ? '' : `; did you mean ${meant}?`;
    notes.push(showLine(`warning ${rule.file} ${rule.text} matches nothing that is known${more}`));
  }
  for (const { name } of host.servers()) {
    const drift = host.drift(name);
    const note = drift && showLine(`warning ${driftSentence(name, drift)}`);
    if (note !== undefined && !notes.includes(note)) notes.push(note);
  }
}
