// What the three APIs take, written out here so that no declaration of this package imports a provider's package. The
// types are mutable where the providers' are: a `readonly` list does not fit their parameters.

/** The types of one model API, by the name of its profile. */
export interface ModelShapes {
  /** Anthropic's Messages API. */
  anthropic: { tool: AnthropicTool; result: AnthropicToolResult };
  /** OpenAI's Chat Completions API. */
  openai: { tool: OpenAiTool; result: OpenAiToolResult };
  /** Google's Gemini API. */
  gemini: { tool: GeminiTool; result: GeminiToolResult };
}

/** A JSON Schema of an object, as a model API takes it. */
export interface ObjectJsonSchema {
  type: 'object';
  /** The schema of each property, by name. */
  properties?: unknown;
  /** Names of properties that must be there. */
  required?: string[];
  /** Other keywords, as far as the API takes them. */
  [keyword: string]: unknown;
}

/** One tool of a request to Anthropic. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: ObjectJsonSchema;
  /** The model is shown the tool once a search has found it. */
  defer_loading?: boolean;
}

/** The result of one call: a block of the next user message to Anthropic. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  is_error: boolean;
  content: (AnthropicText | AnthropicImage | AnthropicToolReference)[];
}

/** A text in a result for Anthropic. */
export interface AnthropicText {
  type: 'text';
  text: string;
}

/** A picture in a result for Anthropic. */
export interface AnthropicImage {
  type: 'image';
  source: { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string };
}

/** A tool that a search has found; the API replaces it by the definition. */
export interface AnthropicToolReference {
  type: 'tool_reference';
  tool_name: string;
}

/** One tool of a request to OpenAI. */
export interface OpenAiTool {
  type: 'function';
  function: { name: string; description: string; parameters: ObjectJsonSchema };
}

/** A message of the next request to OpenAI: the result of one call, or the pictures of all results. */
export type OpenAiToolResult = OpenAiToolMessage | OpenAiPictures;

/** The result of one call, as a message to OpenAI. */
export interface OpenAiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** The pictures in the results of one turn, which OpenAI takes in a user message only. */
export interface OpenAiPictures {
  role: 'user';
  content: ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[];
}

/** All tools of a request to Gemini. */
export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

/** One function that Gemini may call. */
export interface GeminiFunction {
  name: string;
  description: string;
  /** Left out for a function without parameters. */
  parameters?: GeminiParameters;
}

/**
 * The subset of OpenAPI 3.0 that Gemini takes. Its fields are not listed: Google's package has an enum for `type`, which
 * no type of another package fits.
 */
export interface GeminiParameters {
  [keyword: string]: unknown;
}

/** A part of the next user content for Gemini: the result of one call, or a picture of the result before it. */
export type GeminiToolResult = GeminiFunctionResponse | GeminiPicture;

/** The result of one call, for Gemini. */
export interface GeminiFunctionResponse {
  functionResponse: { id: string; name: string; response: { output: string } | { error: string } };
}

/** A picture in a result, for Gemini. */
export interface GeminiPicture {
  inlineData: { mimeType: string; data: string };
}
