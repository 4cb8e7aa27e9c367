import type { OpenBrowserOptions } from '../../edge/open-browser.js';

/** Shows a page to the person at this machine, who has agreed to it; false when there is no browser. Never rejects. */
export async function openPage(url: string, options: OpenBrowserOptions): Promise<boolean> {
  const { openBrowser } = await import('../../edge/open-browser.js');
  return openBrowser(url, options);
}
