// The control groups of this process: https://docs.kernel.org/admin-guide/cgroup-v1/cgroups.html,
// https://docs.kernel.org/admin-guide/cgroup-v2.html
import { attempt } from '../../base/attempt.js';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Controller = 'memory' | 'pids';

/** The kernel's texts about this process: /proc/self/cgroup and /proc/self/mountinfo. */
export interface CgroupTexts {
  readonly cgroup: string;
  readonly mountinfo: string;
}

/** The group of this process for one controller. */
export interface CgroupPlace {
  readonly version: 1 | 2;
  /** The group's folder. */
  readonly folder: string;
  /** The topmost visible group. */
  readonly top: string;
}

export function readCgroupTexts(): CgroupTexts {
  return { cgroup: readTextOrEmpty('/proc/self/cgroup'), mountinfo: readTextOrEmpty('/proc/self/mountinfo') };
}

/** The text of a file that the system may not have; then empty. */
export function readTextOrEmpty(file: string): string {
  return attempt(() => readFileSync(file, 'utf8'), '');
}

/** Version 1 first: a controller that version 1 uses is not available in version 2. */
export function findCgroup(controller: Controller, texts: CgroupTexts): CgroupPlace | undefined {
  const mounts = texts.mountinfo.split('\n').flatMap((line) => parseMount(line) ?? []);
  const groups = texts.cgroup.split('\n').flatMap((line) => parseGroup(line) ?? []);
  const old = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
  if (old) return toPlace(1, old, groups.find(({ controllers }) => controllers.includes(controller))?.path);
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  return unified && toPlace(2, unified, groups.find(({ hierarchy }) => hierarchy === '0')?.path);
}

/** The group and its ancestors, up to the topmost. */
export function placesUpward({ folder, top }: CgroupPlace): readonly string[] {
  const folders = [folder];
  for (let path = folder; path !== top && dirname(path) !== path; path = dirname(path)) folders.push(dirname(path));
  return folders;
}

interface Mount {
  /** The mounted part of the hierarchy. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

function parseMount(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root, point] = before.split(' ');
  const [type, , options] = after.split(' ');
  if (root === undefined || point === undefined || type === undefined) return undefined;
  return { root: unescape(root), point: unescape(point), type, options: options?.split(',') ?? [] };
}

/** mountinfo writes a blank in a path as \040. */
function unescape(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
}

function parseGroup(line: string): { hierarchy: string; controllers: readonly string[]; path: string } | undefined {
  const [hierarchy, controllers, ...path] = line.split(':');
  if (hierarchy === undefined || controllers === undefined || path.length === 0) return undefined;
  return { hierarchy, controllers: controllers.split(','), path: path.join(':') };
}

/** Undefined for a group outside the mounted hierarchy, as in some containers. */
function toPlace(version: 1 | 2, { root, point }: Mount, path: string | undefined): CgroupPlace | undefined {
  if (path === undefined || path.split('/').includes('..')) return undefined;
  const base = root === '/' ? '' : root;
  if (path !== base && !path.startsWith(`${base}/`)) return undefined;
  return { version, folder: join(point, path.slice(base.length)), top: point };
}
