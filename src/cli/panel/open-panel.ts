import { Panel, type PanelOptions } from './panel.js';

/**
 * The servers of a host on the whole screen, live: how they are, what they offer, and what can be done about them. Resolves when somebody leaves; never
 * rejects. Where the screen cannot be drawn on, `panelTable` has what it would show.
 */
export async function openPanel(options: PanelOptions): Promise<void> {
  if (options.signal?.aborted === true) return;
  using panel = new Panel(options);
  await panel.left;
}
