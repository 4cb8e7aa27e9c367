import { expect, test } from 'vitest';
import { trustCommand, untrustedText } from './untrusted-text.js';

test('a folder with hidden characters is not taken for another one', () => {
  expect(trustCommand('/home/ada/my app')).toBe("plugboard trust '/home/ada/my app'");
  // What is shown of it would be a command for /home/ada/app.
  for (const folder of ['/home/ada/app\u202e', '/home/ada/\u001b[2Kapp', '/home/ada/app\n'])
    expect(trustCommand(folder)).toBe('plugboard trust');
  expect(untrustedText({ folder: '/a\u202e', reason: 'why' })).toBe(
    String.raw`needs /a\u{202e}, which is not trusted: why`,
  );
});
