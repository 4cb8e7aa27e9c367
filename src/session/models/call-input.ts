import { isDeeper, isObject } from '../../base/json.js';
import type { ToolInput } from '../../model/tool.js';

/** The input of a call, or a sentence that says why it could not be parsed. */
export interface CallInput {
  readonly input: ToolInput;
  readonly fault?: string;
}

/** Parses the arguments of a call as a model wrote them. An empty text means none. */
export function readCallInput(text: string): CallInput {
  if (text.trim() === '') return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fault(`its arguments are not JSON (${error instanceof SyntaxError ? toReason(error, text) : 'unreadable'})`);
  }
  return isObject(value) ? checkCallInput(value) : fault('its arguments are JSON, but not an object');
}

/** Checks arguments that are parsed already. */
export function checkCallInput(input: ToolInput): CallInput {
  return isDeeper(input, DEPTH) ? fault(`its arguments are nested deeper than ${DEPTH} levels`) : { input };
}

const DEPTH = 200; // serialising it again needs stack for each level

function fault(sentence: string): CallInput {
  return { input: {}, fault: sentence };
}

/** The position alone: the message itself quotes the text, which may be long and anything. */
function toReason({ message }: SyntaxError, text: string): string {
  const [, at] = /position (\d+)/u.exec(message) ?? [];
  return at === undefined ? `it ends after ${text.length} characters` : `at character ${at} of ${text.length}`;
}
