/** `/mcp__server__prompt a "b c"`: the text before the first blank, without the slash, and the words after it. */
export interface PromptCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/** Undefined for a text that is no command. */
export function parseCommand(text: string): PromptCommand | undefined {
  const [, name, rest = ''] = /^\s*\/([a-zA-Z0-9_-]{1,64})(?:\s([\s\S]*))?$/u.exec(text.slice(0, TEXT_LIMIT)) ?? [];
  return name === undefined ? undefined : { name, words: splitWords(rest) };
}

const TEXT_LIMIT = 100_000;

/**
 * Splits words like a shell: quotes join words at the beginning of a word or after `=`; anywhere else they are literal
 * (don't). An unclosed quote reaches to the end.
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
  /** Required arguments without a value. */
  readonly missing: readonly string[];
  /** Words that fit no argument. */
  readonly surplus: readonly string[];
}

/**
 * Assigns words to a prompt's arguments: `name=value` by name, the others in order. Surplus words belong to the last
 * argument filled in order, so that a sentence needs no quotes.
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
    // `Object.fromEntries`, because an argument may be named __proto__.
    arguments: Object.fromEntries(filled),
    missing: slots.filter(({ name, required }) => required && !filled.has(name)).map(({ name }) => name),
    surplus: open.length === 0 ? loose : [],
  };
}
