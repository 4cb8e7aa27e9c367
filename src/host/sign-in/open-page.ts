import { programEnvironment } from '../../config/risks/private-places.js';
import type { OpenBrowserOptions } from '../../edge/open-browser.js';
import type { HostConfig } from '../../config/load.js';
import type { Ports } from '../ports.js';

/** Opens a page in the user's browser, by the embedder or by the system; false when that failed. Never rejects. */
export async function openBrowserPage(
  ports: Pick<Ports, 'openUrl'>,
  loaded: HostConfig,
  url: string,
): Promise<boolean> {
  const { platform } = loaded.context;
  const env = programEnvironment(loaded);
  try {
    return await (ports.openUrl ? ports.openUrl(url) : openInBrowser(url, { env, platform }));
  } catch {
    return false; // the embedder broke the contract; the URL is shown in any case
  }
}

/** Opens a page in the browser of this machine; false when there is none. Never rejects. */
export async function openInBrowser(url: string, options: OpenBrowserOptions): Promise<boolean> {
  const { openBrowser } = await import('../../edge/open-browser.js');
  return openBrowser(url, options);
}
