/** Each server's tools: the server's own name by the name that models know. */
export type NameSpace = ReadonlyMap<string, { readonly tools: ReadonlyMap<string, string> }>;

/** Finds tools by the model's name, by server and tool, or by the tool's name if only one has it; case may differ. */
export function selectNames(space: NameSpace, wanted: readonly string[], accept: (name: string) => boolean): Selected {
  const claims: Claim[] = [];
  const byKey = new Map<string, Claim[]>();
  const isLength: true[] = [];
  for (const written of wanted.slice(0, NAMES_LIMIT)) {
    const exact = [written, PREFIX + written].find((name) => hasName(space, name) && accept(name));
    const claim = { written, way: Infinity, names: new Set(exact === undefined ? [] : [exact]) };
    claims.push(claim);
    if (exact !== undefined) continue;
    const key = written.toLowerCase();
    byKey.set(key, [...(byKey.get(key) ?? []), claim]);
    isLength[key.length] = true;
  }
  // One pass over all tools for all claims. The lengths of names rule out most tools.
  for (const [server, { tools }] of byKey.size > 0 ? space : []) {
    tools.forEach((tool, name) => {
      if (isLength[server.length + 1 + tool.length]) consider(name, `${server}.${tool}`, { exactly: 1, butCase: 3 });
      if (isLength[name.length]) consider(name, name, { exactly: 2, butCase: 2 });
      if (isLength[tool.length]) consider(name, tool, { exactly: 4, butCase: 5 });
    });
  }
  const found = claims.filter(({ names }) => names.size === 1);
  const known = new Set(found.map(({ written }) => written));
  const names = new Set(found.flatMap((claim) => [...claim.names]));
  return { names: [...names], unknown: wanted.filter((name) => !known.has(name)) };

  function consider(name: string, spelling: string, ways: { exactly: number; butCase: number }): void {
    for (const claim of byKey.get(spelling.toLowerCase()) ?? []) {
      const way = claim.written === spelling ? ways.exactly : ways.butCase;
      if (way > claim.way || !accept(name)) continue;
      if (way < claim.way) claim.names.clear();
      claim.way = way;
      claim.names.add(name);
    }
  }
}

/** Whether this is exactly a name that models know. */
export function hasName(space: NameSpace, name: string): boolean {
  for (const { tools } of space.values()) if (tools.has(name)) return true;
  return false;
}

export interface Selected {
  /** In the order of the query, without duplicates. */
  readonly names: readonly string[];
  readonly unknown: readonly string[];
}

/** The tools that a written name matches in its best way; `way` is its rank, lowest best. */
interface Claim {
  readonly written: string;
  readonly names: Set<string>;
  way: number;
}

const PREFIX = 'mcp__';
const NAMES_LIMIT = 200; // no model needs more at once
