// The floor of reading a ledger: every file in the folder, every line parsed, nothing checked or added up.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
let count = 0;
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n'))
    if (line !== '') count += JSON.parse(line).pid > 0;
}
process.stdout.write(`${count}\n`);
