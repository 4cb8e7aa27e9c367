/** Tells each text once, or the first of a topic. Not for ever: what servers and files say is in some of them. */
export function reportOnce(tell: (text: string) => void): (text: string, topic?: string) => void {
  const told = new Set<string>();
  return (text, topic = text) => {
    if (told.has(topic) || told.size >= TOLD_LIMIT) return;
    told.add(topic);
    tell(text);
  };
}

const TOLD_LIMIT = 100; // different ones: a folder full of broken files is told of often enough by then
