/** The approximate length of a value as JSON. Counting stops beyond the limit, which `JSON.stringify` does not. */
export function roughSize(value: object, limit: number): number {
  const waiting: object[] = [];
  let size = 0;
  for (let one: object | undefined = value; one && size <= limit; one = waiting.pop()) {
    size += 2;
    const list = Array.isArray(one) ? (one as readonly unknown[]) : undefined;
    const keys = list ? undefined : Object.keys(one);
    // By index, not by `Object.entries`: of millions of children only the first are read.
    const { length } = list ?? keys!;
    for (let at = 0; at < length && size <= limit; at++) {
      const key = keys?.[at];
      const child: unknown = list ? list[at] : (one as { readonly [key: string]: unknown })[key!];
      size += (key === undefined ? 1 : key.length + 4) + (typeof child === 'string' ? child.length + 2 : 1);
      if (typeof child === 'object' && child !== null) waiting.push(child);
    }
  }
  return size;
}
