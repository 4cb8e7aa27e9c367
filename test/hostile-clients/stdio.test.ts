import { describe, expect, test } from 'vitest';
import { stdioClients } from './stdio-clients.js';
import { openStdioScene } from './stdio-scene.js';

describe('over stdio a client is answered, or ends alone, that', () => {
  test.each(stdioClients)('$does', async ({ attack, sees }) => {
    const scene = openStdioScene();
    expect(await attack(scene)).toEqual(sees);
    scene.input.destroy();
    await scene.serving.ended;
    await expect.poll(() => scene.endpoint.watches.length).toBe(0);
    await expect.poll(() => scene.endpoint.unsettled.size).toBe(0);
  });
});
