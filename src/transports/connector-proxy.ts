import type { Scheme } from '../model/urls/url-gate.js';
import { CONNECTOR_FIELDS } from './entry-fields.js';
import { checkUrl, defined } from './fields.js';
import { remoteKind } from './remote.js';
import { openWith, revealHeaders, routeOf } from './remote-route.js';

const schemes: readonly Scheme[] = ['https', 'http'];

/** A connector of the user's account, reached over Streamable HTTP through the account's proxy. */
export const connectorProxy = remoteKind({
  type: 'connector-proxy',
  aliases: ['claudeai-proxy'],
  label: 'HTTP, connector',
  schemes,
  probes: true,
  more: CONNECTOR_FIELDS,
  check({ url, proxyUrl }, report) {
    checkUrl(url, schemes, report);
    if (proxyUrl !== undefined) {
      checkUrl(proxyUrl, schemes, (issue) => report({ ...issue, path: ['proxyUrl'] }));
    }
  },
  target: ({ url, proxyUrl }) => ({ kind: 'url', url, ...defined('proxyUrl', proxyUrl) }),
  async open(config, context) {
    const { name, clock } = context;
    const url = config.proxyUrl ?? config.url;
    const route = await routeOf(config, context, url);
    const { openHttpPipe } = await import('./http/http-pipe.js');
    const headers = revealHeaders(config);
    return openWith(config, context, async () => openHttpPipe({ name, url, headers, clock, route }));
  },
});
