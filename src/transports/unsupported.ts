import { HostError } from '../base/errors.js';
import type { OpenContext } from './kind.js';

/** How a kind opens whose pipe does not exist yet: not at all, and it says so. */
export function unsupported(type: string): (config: unknown, context: OpenContext) => Promise<never> {
  return (_, { name }) =>
    Promise.reject(
      new HostError(
        'unsupported',
        `Server "${name}" is of type ${type}, which Plugboard can configure and not open yet`,
        {
          hint: 'Servers of type stdio and http can be opened',
        },
      ),
    );
}
