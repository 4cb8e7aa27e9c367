/** An estimate of tokens: four characters each, 5 % too low for JSON with current tokenizers. */
export function toTokenCount(characters: number): number {
  return Math.ceil(characters / 4);
}

/** An estimate of the tokens that a definition costs. */
export function toTokens(definition: object): number {
  return toTokenCount(JSON.stringify(definition).length);
}

/** Whether definitions of this total cost are shown only when a search finds them. */
export function defersTools(setting: 'auto' | 'always' | 'never', tokens: number, context = CONTEXT_TOKENS): boolean {
  return setting === 'always' || (setting === 'auto' && tokens > context * SHARE);
}

/** How many bytes the definitions of one request may have, which is sent again with every turn. */
export const TOOL_BYTES = 1_000_000;

export const CONTEXT_TOKENS = 200_000; // the default for models without a known context size
const SHARE = 0.1;
