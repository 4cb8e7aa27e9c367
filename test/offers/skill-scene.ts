import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import { openWalk, type WalkScene } from '../calls/walk-scene.js';
import { script } from './scene.js';

/** A skill as skill-server.mjs offers it. */
export interface OfferedSkill {
  readonly name: string;
  /** Of its URI; the name by default. */
  readonly folder?: string;
  readonly description?: string;
  readonly body?: string;
  /** Fields of the head of its SKILL.md that are not what is listed. */
  readonly says?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** What is listed wrongly of its files. */
  readonly wrong?: 'digest' | 'size';
  /** In place of the listed files. */
  readonly resources?: unknown;
}

/** A server whose skills a test can replace while it runs. */
export interface SkillServer {
  readonly entry: Record<string, unknown>;
  set(skills: readonly OfferedSkill[]): void;
}

export interface SkillScene extends WalkScene {
  /** `lists`: by the extension, or only as resources. */
  skilled(skills: readonly OfferedSkill[], lists?: 'extension' | 'resources'): SkillServer;
}

export function openSkills(): SkillScene {
  const scene = openWalk();
  let files = 0;
  return {
    ...scene,
    skilled(skills, lists = 'extension') {
      const file = join(scene.home, `skills-${++files}.json`);
      const set = (now: readonly OfferedSkill[]): void => writeFileSync(file, JSON.stringify(now));
      set(skills);
      const env = { SKILLS: file, JOURNAL: scene.journal, LISTS: lists };
      return { entry: script('skill-server.mjs', { env }), set };
    },
  };
}

/** A scene with one server `odd` that has these skills. */
export async function openSkilled(
  skills: readonly OfferedSkill[],
  options: HostOptions = {},
): Promise<SkillScene & { readonly host: Host; readonly server: SkillServer }> {
  const scene = openSkills();
  const server = scene.skilled(skills);
  scene.configure({ odd: server.entry });
  return { ...scene, server, host: await scene.settle(options) };
}

/** Makes the server say that its skills have changed, and resolves when the host has read them. */
export async function announce(host: Host, server = 'odd'): Promise<void> {
  const heard = new Promise<void>((tell) => {
    const listener = host.on('catalog', ({ list, server: of }) => {
      if (of !== server || (list !== 'skills' && list !== 'resources')) return;
      listener[Symbol.dispose]();
      tell();
    });
  });
  await host.call({ name: `mcp__${server}__announce`, isTyped: true });
  await heard;
}

export const PDF: OfferedSkill = {
  name: 'pdf',
  description: 'Fills in forms',
  body: 'Open the form first.',
  files: { 'FORM.md': 'a form' },
};
