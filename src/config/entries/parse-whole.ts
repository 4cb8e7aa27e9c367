import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import type { RawEntry } from '../../transports/kind.js';

/** Parses a state file before a change. Throws for a file that was broken by hand: it must not be overwritten. */
export function parseWhole(text: string, file: string): RawEntry {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new HostError('config-invalid', `${file} is no longer a JSON object`, {
    hint: `Fix the file, or remove it to be asked again: rm ${shellWord(file)}`,
  });
}
