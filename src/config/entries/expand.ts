/** An expanded text, and its variables that are not set and have no default. */
export interface Expansion {
  readonly text: string;
  readonly missing: readonly string[];
}

/** Environment variables by name. */
export type Environment = { readonly [name: string]: string | undefined };

/**
 * Expands `${VAR}` and `${VAR:-default}`, left to right, in one pass: values are never expanded again, and a default
 * ends at the first closing brace. A bare `$VAR` is legal in an argument, so it stays.
 */
export function expandText(text: string, environment: Environment): Expansion {
  const missing: string[] = [];
  let result = '';
  let rest = 0;
  for (const reference of referencesIn(text)) {
    const value = lookup(environment, reference);
    if (value === undefined) missing.push(reference.name);
    else {
      result += text.slice(rest, reference.start) + value;
      rest = reference.end;
    }
  }
  return { text: rest === 0 ? text : result + text.slice(rest), missing };
}

/** The names of all variables in a text, set or not. */
export function variablesIn(text: string): string[] {
  return Array.from(referencesIn(text), ({ name }) => name);
}

/** The name in a `$NAME`, which a shell would expand but we do not: perhaps `${NAME}` was meant. */
export function bareVariableIn(text: string): string | undefined {
  return /(?<![$\\])\$([A-Z_][A-Z0-9_]*)/u.exec(text)?.[1];
}

/** One `${NAME}` or `${NAME:-fallback}` in a text. */
export interface VariableReference {
  readonly name: string;
  readonly fallback: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Skips what is no variable, such as `${input:key}`, and continues right after its `${`. */
export function* referencesIn(text: string): Generator<VariableReference> {
  const name = /[A-Za-z_][A-Za-z0-9_]*(?:\}|:-)/uy;
  let close = 0; // searched again only when passed: a thousand openings before one brace cost one search
  for (let start = text.indexOf('${'); start !== -1; start = text.indexOf('${', name.lastIndex)) {
    name.lastIndex = start + 2;
    const found = name.exec(text)?.[0];
    if (found === undefined) {
      name.lastIndex = start + 2;
    } else if (found.endsWith('}')) {
      yield { name: found.slice(0, -1), fallback: undefined, start, end: name.lastIndex };
    } else {
      const from = name.lastIndex;
      if (close < from) close = text.indexOf('}', from);
      if (close === -1) return; // no closing brace is left, so no reference
      yield { name: found.slice(0, -2), fallback: text.slice(from, close), start, end: close + 1 };
      name.lastIndex = close + 1;
    }
  }
}

/** As in a shell, `:-` also replaces a variable that is set but empty. */
function lookup(environment: Environment, { name, fallback }: VariableReference): string | undefined {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (fallback === undefined) return value;
  return value === undefined || value === '' ? fallback : value;
}
