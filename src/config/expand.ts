/** A text after expansion, and the variables it asked for that are not set and have no default. */
export interface Expansion {
  readonly text: string;
  readonly missing: readonly string[];
}

export type Environment = { readonly [name: string]: string | undefined };

/**
 * `${VAR}` and `${VAR:-default}`, left to right, in one pass: what a variable holds is never expanded again, and a
 * default ends at the first closing brace. A bare `$VAR` is legal in an argument, so it stays as it is.
 */
export function expandText(text: string, environment: Environment): Expansion {
  let start = text.indexOf('${');
  if (start === -1) return { text, missing: [] };
  const missing: string[] = [];
  let result = '';
  let rest = 0;
  while (start !== -1) {
    const end = text.indexOf('}', start + 2);
    if (end === -1) break;
    const reference = parseReference(text.slice(start + 2, end));
    if (!reference) {
      // Not a variable, such as `${input:key}`: it stays, and the scan goes on right behind the `${`.
      result += text.slice(rest, start + 2);
      rest = start + 2;
    } else {
      const value = lookup(environment, reference);
      if (value === undefined) missing.push(reference.name);
      result += text.slice(rest, start) + (value ?? text.slice(start, end + 1));
      rest = end + 1;
    }
    start = text.indexOf('${', rest);
  }
  return { text: result + text.slice(rest), missing };
}

/** The names of all variables a text refers to, set or not. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^}]*)\}/gu)].flatMap(([, inside]) => parseReference(inside!)?.name ?? []);
}

/** A `$NAME` that a shell would expand and nothing here does: perhaps `${NAME}` was meant. */
export function bareVariableIn(text: string): string | undefined {
  return /(?<![$\\])\$([A-Z_][A-Z0-9_]*)/u.exec(text)?.[1];
}

interface Reference {
  readonly name: string;
  readonly fallback: string | undefined;
}

function parseReference(inside: string): Reference | undefined {
  const split = inside.indexOf(':-');
  const name = split === -1 ? inside : inside.slice(0, split);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name)) return undefined;
  return { name, fallback: split === -1 ? undefined : inside.slice(split + 2) };
}

/** As in a shell, `:-` also replaces a variable that is set but empty. */
function lookup(environment: Environment, { name, fallback }: Reference): string | undefined {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (fallback === undefined) return value;
  return value === undefined || value === '' ? fallback : value;
}
