import { HostError } from '../base/errors.js';
import { remoteKind } from './remote.js';

/** Streamable HTTP. */
export const http = remoteKind({
  type: 'http',
  label: 'HTTP',
  schemes: ['https', 'http'],
  aliases: ['streamable-http', 'streamableHttp', 'streamable_http'],
  async open({ url, headers, headersHelper, tls }, { name, clock }) {
    const missing = headersHelper !== undefined ? 'headersHelper' : tls !== undefined ? 'tls' : undefined;
    if (missing !== undefined) {
      throw new HostError(
        'unsupported',
        `Server "${name}" needs "${missing}", which Plugboard can store and not obey yet`,
        {
          hint: `Take "${missing}" out of its entry to reach it without`,
        },
      );
    }
    const { openHttpPipe } = await import('./http-pipe.js');
    const revealed = Object.fromEntries(Object.entries(headers).map(([field, value]) => [field, value.reveal()]));
    return openHttpPipe({ name, url, headers: revealed, clock });
  },
});
