// The notices of the bundled packages, which their licenses require.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** Name, version, license and its text, of every package that `metafiles` has taken code from. */
export function toNotices(root, metafiles) {
  const folders = new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs).flatMap(packageFolderOf)));
  const packages = [...folders].map((folder) => readPackage(join(root, folder))).toSorted(byName);
  const distinct = packages.filter(({ title }, index) => title !== packages[index - 1]?.title);
  const head = 'Plugboard has code of these packages in it.\n';
  const line = '-'.repeat(80);
  return [head, ...distinct.map(({ title, license, text }) => `${line}\n${title}\n${license}\n\n${text}\n`)].join('\n');
}

/** The innermost package folder: a package may contain packages of its own. */
function packageFolderOf(file) {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file);
  return found ? [found[0]] : [];
}

function readPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const title = `${name} ${version}`;
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  if (text === '' || typeof license !== 'string')
    throw new Error(`${title} is bundled, and no license text of it is found in ${folder}`);
  return { title, license, text };
}

function byName(a, b) {
  return a.title < b.title ? -1 : 1;
}
