import { isDeeper, isObject } from '../../base/json.js';
import type { ToolInput } from '../../model/tool.js';

/** What a call is to be made with, or a sentence that says why nobody can tell. */
export interface CallInput {
  readonly input: ToolInput;
  readonly fault?: string;
}

/** Reads what a model has written as the arguments of a call. Nothing at all stands for none. */
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

/** The same for what has been read already. */
export function checkCallInput(input: ToolInput): CallInput {
  return isDeeper(input, DEPTH) ? fault(`its arguments are nested deeper than ${DEPTH} levels`) : { input };
}

const DEPTH = 200; // whoever writes it out again needs a stack for it

function fault(sentence: string): CallInput {
  return { input: {}, fault: sentence };
}

/** The message itself quotes the text, which may be long and anything. */
function toReason({ message }: SyntaxError, text: string): string {
  const [, at] = /position (\d+)/u.exec(message) ?? [];
  return at === undefined ? `it ends after ${text.length} characters` : `at character ${at} of ${text.length}`;
}
