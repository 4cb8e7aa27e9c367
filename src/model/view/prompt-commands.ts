/** `/mcp__server__prompt a "b c"`: what stands before the first blank, without the slash, and the words behind. */
export interface PromptCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/** Undefined for a text that is no such command. */
export function parseCommand(text: string): PromptCommand | undefined {
  const [, name, rest = ''] = /^\s*\/([a-zA-Z0-9_-]{1,64})(?:\s([\s\S]*))?$/u.exec(text.slice(0, TEXT_LIMIT)) ?? [];
  return name === undefined ? undefined : { name, words: splitWords(rest) };
}

const TEXT_LIMIT = 100_000;

/**
 * Words, as a shell would see them: quotes hold several together at the beginning of a word or behind `=`, anywhere else they are
 * what they are (don't). One that is never closed reaches to the end.
 */
export function splitWords(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/(?:[^\s"'=]+=)?(?:"((?:[^"\\]|\\[\s\S])*)(?:"|$)|'([^']*)(?:'|$))|\S+/gu),
    (match) => {
      const [word, double, single] = match;
      const quoted = double?.replaceAll(/\\(["\\])/gu, '$1') ?? single;
      return quoted === undefined ? word : word.slice(0, word.search(/["']/u)) + quoted;
    },
  );
}

export interface ArgumentSlot {
  readonly name: string;
  readonly required: boolean;
}

export interface FilledArguments {
  readonly arguments: Readonly<Record<string, string>>;
  /** Required ones that nobody has given. */
  readonly missing: readonly string[];
  /** Words that belong to nothing. */
  readonly surplus: readonly string[];
}

/**
 * Words as the arguments of a prompt: `name=value` where there is an argument of that name, the others in order. What is left over
 * belongs to the last argument that was filled in order, so that a sentence needs no quotes.
 */
export function fillArguments(words: readonly string[], slots: readonly ArgumentSlot[]): FilledArguments {
  const filled = new Map<string, string>();
  const loose: string[] = [];
  for (const word of words) {
    const sign = word.indexOf('=');
    const name = sign > 0 ? word.slice(0, sign) : undefined;
    if (name !== undefined && slots.some((slot) => slot.name === name)) filled.set(name, word.slice(sign + 1));
    else loose.push(word);
  }
  const open = slots.filter(({ name }) => !filled.has(name));
  for (const [at, { name }] of open.slice(0, loose.length).entries()) {
    filled.set(name, at === open.length - 1 ? loose.slice(at).join(' ') : loose[at]!);
  }
  return {
    // A name may be __proto__: entries make it an own field.
    arguments: Object.fromEntries(filled),
    missing: slots.filter(({ name, required }) => required && !filled.has(name)).map(({ name }) => name),
    surplus: open.length === 0 ? loose : [],
  };
}
