import { programEnvironment } from '../../config/risks/private-places.js';
import type { OpenBrowserOptions } from '../../edge/open-browser.js';
import type { HostConfig } from '../../config/load.js';
import type { Ports } from '../ports.js';

/** A page in the user's browser: by whoever embeds this, or by the system. Never rejects. */
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
    return false; // who opens pages broke the contract; the address is shown all the same
  }
}

/** Shows a page to the person at this machine; false when there is no browser. Never rejects. */
export async function openInBrowser(url: string, options: OpenBrowserOptions): Promise<boolean> {
  const { openBrowser } = await import('../../edge/open-browser.js');
  return openBrowser(url, options);
}
