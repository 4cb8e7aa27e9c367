import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import type { RawEntry } from '../../transports/kind.js';

/** A file of the user's state that is about to be changed. Throws where somebody edited it by hand: their edit is not ours to overwrite. */
export function parseWhole(text: string, file: string): RawEntry {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new HostError('config-invalid', `${file} is not JSON any more`, {
    hint: `Mend it, or remove it to be asked again: rm ${shellWord(file)}`,
  });
}
