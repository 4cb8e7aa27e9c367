// The least that a program can be that somebody types into: a prompt, and every key that is pressed.
'use strict';
process.stdin.setRawMode(true);
process.stdout.write('> ');
process.stdin.on('data', (keys) => process.stdout.write(keys));
