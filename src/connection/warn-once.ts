import type { PipeWarning } from '../wire/pipe.js';

/** Passes on each `stream-off` warning once: a server that refuses its stream refuses the next one, too. */
export function warnOnce(tell: (note: PipeWarning) => void): (note: PipeWarning) => void {
  const told = new Set<string>();
  return (note) => {
    if (note.kind !== 'stream-off') return tell(note);
    if (told.has(note.text)) return undefined;
    if (told.size < REMEMBERED) told.add(note.text);
    return tell(note);
  };
}

const REMEMBERED = 20;
