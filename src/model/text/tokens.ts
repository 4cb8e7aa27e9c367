/** About how many tokens so many characters are: four each, 5 % low for JSON on current tokenizers. */
export function toTokenCount(characters: number): number {
  return Math.ceil(characters / 4);
}

/** About how many tokens a model pays for a definition. */
export function toTokens(definition: object): number {
  return toTokenCount(JSON.stringify(definition).length);
}

/** Whether definitions that cost so much together are only shown when they are looked for. */
export function defersTools(setting: 'auto' | 'always' | 'never', tokens: number, context = CONTEXT_TOKENS): boolean {
  return setting === 'always' || (setting === 'auto' && tokens > context * SHARE);
}

export const CONTEXT_TOKENS = 200_000; // what models take that nobody says more of
const SHARE = 0.1;
