/** Reports each text, or topic, once, and `TOLD_LIMIT` at most: some texts come from servers and files. */
export function reportOnce(tell: (text: string) => void): (text: string, topic?: string) => void {
  const told = new Set<string>();
  return (text, topic = text) => {
    if (told.has(topic) || told.size >= TOLD_LIMIT) return;
    told.add(topic);
    tell(text);
  };
}

const TOLD_LIMIT = 100; // distinct texts; by then a folder full of broken files has been reported often enough
