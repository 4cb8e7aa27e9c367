import { expect, test } from 'vitest';
import { quoteMarkdown, toMarkdownText } from './markdown-text.js';

test.each([
  ['plain *words*, a < b', 'plain *words*, a < b'],
  ['# One\n  ## User', '\\# One\n  \\## User'],
  ['User\n---\nModel\n===', 'User\n\\---\nModel\n\\==='],
  ['<script>x</script> <!-- a', '&lt;script>x&lt;/script> &lt;!-- a'],
  [String.raw`\<script> \![x](y)`, String.raw`\&lt;script> \!\[x](y)`],
  ['```', '```\n```'],
  ['![x](http://a/b.png)', '!\\[x](http://a/b.png)'],
  ['\u001b[31mred\u0007', 'red'],
  ['```ts\n# <b>\n```\n# x', '```ts\n# <b>\n```\n\\# x'],
  ['````\n```\n# x', '````\n```\n# x\n````'],
  ['```a`b\n# x', '```a`b\n\\# x'],
  ['~~~\n```\n  ~~~~\n# x', '~~~\n```\n  ~~~~\n\\# x'],
  ['- a\n  ```\n  # <b>\n  ```\n# x', '- a\n  ```\n  # &lt;b>\n  ```\n\\# x'],
  ['- a\n  ```\nb <script>\n  ```', '- a\n  \\```\nb &lt;script>\n  \\```'],
  ['  ```\n   ```\n  ```', '  \\```\n   \\```\n  \\```'],
  ['   ```js', '   \\```js'],
  ['`a\nb` <script> `c', '`a\nb` &lt;script> `c'],
])('%j is written as %j', (text, markdown) => {
  expect(toMarkdownText(text)).toBe(markdown);
});

test('a quotation has its mark on every line', () => {
  expect(quoteMarkdown('a\n\nb')).toBe('> a\n> \n> b');
});

test('many fences and many lines take no stack, and little time', () => {
  // As deep as would be too much for a stack; test:full has so many that time would show, too.
  const open = '   ```js\n'.repeat(process.env['PLUGBOARD_FULL'] === undefined ? 30_000 : 200_000);
  expect(toMarkdownText(open)).toBe(open.replaceAll('```', '\\```'));
  const closed = '```\n# x\n```\n'.repeat(100_000);
  expect(toMarkdownText(closed)).toBe(closed);
});
