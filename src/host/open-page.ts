import type { Fleet } from './fleet.js';

/** A page in the user's browser: by whoever embeds this, or by the system. Never rejects. */
export async function openPage({ ports, loaded }: Pick<Fleet, 'ports' | 'loaded'>, url: string): Promise<boolean> {
  try {
    if (ports.openUrl) return await ports.openUrl(url);
    const { openBrowser } = await import('../edge/open-browser.js');
    const { env, platform } = loaded.context;
    return await openBrowser(url, { env, platform });
  } catch {
    return false; // who opens pages broke the contract; the address is shown all the same
  }
}
