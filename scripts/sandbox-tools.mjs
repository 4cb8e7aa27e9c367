// The tests of the sandbox need bubblewrap. It is installed where that is possible (root, apt-get); elsewhere one line
// names the package, and those tests are skipped by name. Nothing here fails a run.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const INSTALL_MS = 60_000; // for each of the two steps: a mirror that hangs must not hold up the tests

const find = (program) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

if (process.platform === 'linux' && !find('bwrap')) {
  const apt = process.getuid() === 0 ? find('apt-get') : undefined;
  if (apt) install(apt);
  if (!find('bwrap')) {
    const failed = apt ? ' (installing it failed)' : '';
    process.stderr.write(`The sandbox is not tested: install the package "bubblewrap" to have it tested${failed}\n`);
  }
}

function install(apt) {
  process.stderr.write('Installing bubblewrap for the tests of the sandbox (once) ...\n');
  const wanted = ['install', '-y', '--no-install-recommends', 'bubblewrap'];
  if (run(apt, wanted)) return;
  // A fresh machine has no list of packages yet.
  if (run(apt, ['update'])) run(apt, wanted);
}

function run(apt, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=20'];
  const { status } = spawnSync(apt, [...options, ...args], { stdio: 'ignore', timeout: INSTALL_MS, env });
  return status === 0;
}
