import { shorten } from '../../base/shorten.js';
import { toSchemaType } from './read-schema.js';
import { propertiesOf } from './schema-type.js';
import { propertyName } from './source-text.js';
import { shortType } from './type-text.js';

/**
 * A tool and its arguments on one line, as they can be typed: `create_issue(title: string, labels?: string[])`. Needed
 * arguments come first. The text is the server's: it has to pass the gate before it is shown.
 */
export function toolSignature(tool: string, inputSchema: unknown): string {
  const { properties, rest } = propertiesOf(toSchemaType(inputSchema));
  const sorted = properties.toSorted((one, other) => Number(one.isOptional) - Number(other.isOptional));
  const parts: string[] = [];
  let length = tool.length;
  for (const { name, type, isOptional } of sorted) {
    const part = `${propertyName(shorten(name, NAME_LIMIT))}${isOptional ? '?' : ''}: ${shortType(type)}`;
    length += part.length;
    // Needed arguments are cut only where there are very many of them.
    if (parts.length > 0 && length > (isOptional ? LENGTH_LIMIT : LENGTH_LIMIT * 3)) {
      parts.push('…');
      break;
    }
    parts.push(part);
  }
  const isOpen = rest !== undefined && properties.length > 0 && parts.at(-1) !== '…';
  return `${tool}(${[...parts, ...(isOpen || (rest && parts.length === 0) ? ['[name: string]: unknown'] : [])].join(', ')})`;
}

const NAME_LIMIT = 60;
const LENGTH_LIMIT = 240; // characters; a longer signature is no help, and --schema has all of it
