// The notices of the packages that are bundled: their licenses ask for it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** Of every package that something in `metafiles` was taken from: name, version, license and the text of it. */
export function toNotices(root, metafiles) {
  const folders = new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs).flatMap(packageFolderOf)));
  const packages = [...folders].map((folder) => readPackage(join(root, folder))).toSorted(byName);
  const distinct = packages.filter(({ title }, index) => title !== packages[index - 1]?.title);
  const head = 'Plugboard has code of these packages in it.\n';
  const line = '-'.repeat(80);
  return [head, ...distinct.map(({ title, license, text }) => `${line}\n${title}\n${license}\n\n${text}\n`)].join('\n');
}

/** The innermost one: a package may bring its own. */
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
