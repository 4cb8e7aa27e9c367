/** Whether definitions that cost so much together are only shown when they are looked for. */
export function defersTools(setting: 'auto' | 'always' | 'never', tokens: number, context = CONTEXT_TOKENS): boolean {
  return setting === 'always' || (setting === 'auto' && tokens > context / 10);
}

const CONTEXT_TOKENS = 200_000; // what models take that nobody says more of

/** About how many tokens a model pays for a definition: characters by four, 5 % low for JSON on current tokenizers. */
export function toTokens(definition: object): number {
  return Math.ceil(JSON.stringify(definition).length / 4);
}
