// A small MCP server on stdio, without any library: two tools that read and change a list in memory.
import { createInterface } from 'node:readline';
import { answering } from './answer.mjs';

const title = process.env.NOTES_TITLE ?? 'Notes';
const notes = ['bread', 'coffee'];

const answer = answering('notes', {
  list_notes: {
    description: `Lists the notes under "${title}"`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run: () => notes.join('\n'),
  },
  add_note: {
    description: `Adds a note under "${title}"`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { destructiveHint: false },
    run: ({ text }) => `${notes.push(String(text))} notes`,
  },
});

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = answer(JSON.parse(line));
  if (message) process.stdout.write(`${JSON.stringify(message)}\n`);
});
