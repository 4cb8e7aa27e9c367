// The folder of one run of the benches: homes, projects, and a copy of the build, so that a rebuild changes nothing.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const TRIES = 5; // a build takes 2 s, and one may be under way

/** The commands of the servers in a bench; the folder that has them is the last one on PATH. */
export const programs = ['bench-npx', 'bench-uvx', 'bench-docker', 'bench-node'];

export function openWorld() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bench-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of programs) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', bin].join(':');

  const world = {
    folder,
    lib: join(folder, 'build/dist/lib'),
    /** Every module as a file of its own. */
    inside: join(folder, 'build/dist/inside'),
    program: join(folder, 'build/dist/plugboard.js'),
    remove,
    /** Nothing but PATH and HOME: NODE_EXTRA_CA_CERTS alone costs every Node 40 ms. */
    env: (home) => ({ PATH: path, HOME: home }),
    /** Makes a home with a project. `files`: contents by path below the home: text, or a value that becomes JSON. */
    home(name, files = {}) {
      const home = join(folder, name);
      mkdirSync(join(home, 'project/.git'), { recursive: true });
      for (const [file, content] of Object.entries(files)) world.write(join(home, file), content);
      return home;
    },
    write(file, content) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    },
  };
  try {
    copyBuild(world);
  } catch (error) {
    remove();
    throw error;
  }
  return world;
}

function copyBuild({ folder, program, env }) {
  const build = join(folder, 'build');
  let why = '';
  for (let tries = 0; tries < TRIES; tries++) {
    rmSync(build, { recursive: true, force: true });
    try {
      mkdirSync(build);
      cpSync(join(root, 'dist'), join(build, 'dist'), { recursive: true, preserveTimestamps: true });
      cpSync(join(root, 'package.json'), join(build, 'package.json'));
      symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'));
      const { status, stderr } = spawnSync(process.execPath, [program, '--version'], { env: env(folder), cwd: folder });
      if (status === 0) return;
      why = String(stderr);
    } catch (error) {
      why = error.message;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  }
  throw new Error(`dist/ does not run; npm run build, then again. ${why}`);
}
