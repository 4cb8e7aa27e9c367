/** The length of a value as JSON, about; counting stops beyond the limit, which writing it all down would not. */
export function roughSize(value: object, limit: number): number {
  const waiting: object[] = [value];
  let size = 0;
  for (let one = waiting.pop(); one && size <= limit; one = waiting.pop()) {
    size += 2;
    const isList = Array.isArray(one);
    for (const [key, child] of Object.entries(one)) {
      size += (isList ? 1 : key.length + 4) + (typeof child === 'string' ? child.length + 2 : 1);
      if (typeof child === 'object' && child !== null) waiting.push(child);
    }
  }
  return size;
}
