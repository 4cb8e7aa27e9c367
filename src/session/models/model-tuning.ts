// https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking, .../effort and .../task-budgets
/** How a model is to work, beyond what is said to it. An API that has not the thing is not sent it. */
export interface ModelTuning {
  readonly thinking?: ModelThinking | undefined;
  /** How thorough the model is to be, in the API's own word: low, medium, high, xhigh, max. */
  readonly effort?: string | undefined;
  /** Names for Anthropic's header `anthropic-beta`. */
  readonly betas?: readonly string[] | undefined;
  /** Tokens that the model is told to make do with for one message of the user; Anthropic's API only. */
  readonly taskBudget?: number | undefined;
  /** The model that answers when the other one still cannot after the retries; of an API of the same kind. */
  readonly fallbackModel?: string | undefined;
}

/** Whether a model thinks before it answers: as it sees fit, not at all, or with so many tokens at most. */
export type ModelThinking =
  | { readonly kind: 'adaptive' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'budget'; readonly tokens: number };

/** A field of the tuning. */
export type TuningField = keyof ModelTuning;
