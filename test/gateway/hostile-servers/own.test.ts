import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAttacks } from './own-lists.js';
import { messageAttacks } from './own-messages.js';
import { roundAttacks } from './own-rounds.js';
import { OwnScene } from './own-scene.js';

const attacks = [...messageAttacks, ...listAttacks, ...roundAttacks];
let scene: OwnScene;
beforeAll(async () => {
  scene = await OwnScene.open(attacks);
});
afterAll(() => scene[Symbol.asyncDispose]());

test.each(attacks.map((row) => [row.mode.name, row.mode.summary, row] as const))(
  '%s: neighbours notice nothing of a server that %s',
  async (_, __, row) => {
    const { seen, faults } = await scene.suffer(row);
    expect(faults).toEqual([]);
    expect(seen).toEqual(row.sees);
  },
);
