import type { Host } from '../../index.js';
import { driftSentence } from '../../model/pins/drift-text.js';
import { showLine } from '../../model/show.js';

/**
 * Adds notes that are known only at the end: `--allow` and `--deny` rules that match nothing, because the user relies
 * on them, and servers that differ from what `mcp.lock` pins (those that did not connect, by the last run's catalog).
 */
export function addEndNotes(notes: string[], host: Host): void {
  for (const { rule, meant } of host.unmatchedFlags()) {
    const more = meant === undefined ? '' : `; did you mean ${meant}?`;
    notes.push(showLine(`warning: ${rule.file} ${rule.text} matches no known server or tool${more}`));
  }
  for (const { name } of host.servers()) {
    const drift = host.drift(name);
    const note = drift && showLine(`warning: ${driftSentence(name, drift)}`);
    if (note !== undefined && !notes.includes(note)) notes.push(note);
  }
}
