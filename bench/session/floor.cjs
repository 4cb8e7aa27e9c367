// The smallest interactive program: a prompt, and an echo of every key that is pressed.
'use strict';
process.stdin.setRawMode(true);
process.stdout.write('> ');
process.stdin.on('data', (keys) => process.stdout.write(keys));
