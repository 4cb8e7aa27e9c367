// A small MCP server on stdio, without any library: tools that read and change a list. The list is in memory, or in the
// file that NOTES_FILE names.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { answering } from './answer.mjs';

const title = process.env.NOTES_TITLE ?? 'Notes';
const file = process.env.NOTES_FILE || undefined;
const notes = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : ['bread', 'coffee'];

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
    run({ text }) {
      notes.push(String(text));
      if (file !== undefined) writeFileSync(file, JSON.stringify(notes));
      return `${notes.length} notes`;
    },
  },
  count_words: {
    description: `Counts the words under "${title}". In the demo this server dies in the middle of every other call`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run() {
      if (file !== undefined) dieEveryOtherTime(`${file}.died`);
      return `${notes.join(' ').split(/\s+/).length} words in ${notes.length} notes`;
    },
  },
});

function dieEveryOtherTime(mark) {
  if (existsSync(mark)) return rmSync(mark);
  writeFileSync(mark, '');
  return process.exit(1);
}

for await (const line of createInterface({ input: process.stdin })) void respond(line);

async function respond(line) {
  const message = await answer(JSON.parse(line));
  if (message) process.stdout.write(`${JSON.stringify(message)}\n`);
}
