import type { RealServer, ToolCase } from './real-server.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function at(path: string, more: object = {}): NonNullable<ToolCase['input']> {
  return (folder) => ({ path: `${folder}/${path}`, ...more });
}

export const filesystem: RealServer = {
  title: 'filesystem',
  packageName: '@modelcontextprotocol/server-filesystem',
  transport: 'stdio',
  args: (folder) => [folder],
  files: { 'notes.txt': 'one\ntwo\nthree\n', 'dot.png': png },
  tools: {
    read_file: { input: at('notes.txt'), says: 'one\ntwo\nthree' },
    read_text_file: { input: at('notes.txt', { head: 2 }), says: 'one\ntwo' },
    read_media_file: { input: at('dot.png'), says: 'image/png' },
    read_multiple_files: {
      input: (folder) => ({ paths: [`${folder}/notes.txt`, `${folder}/absent.txt`] }),
      says: 'absent.txt: Error',
    },
    write_file: { input: at('new.txt', { content: 'Grüße' }), says: 'Successfully wrote' },
    edit_file: { input: at('new.txt', { edits: [{ oldText: 'Grüße', newText: 'Adieu' }] }), says: '+Adieu' },
    create_directory: { input: at('inner'), says: 'Successfully created' },
    list_directory: { input: at('.'), says: '[DIR] inner' },
    list_directory_with_sizes: { input: at('.'), says: 'Combined size' },
    directory_tree: { input: at('.'), says: 'notes.txt' },
    move_file: {
      input: (folder) => ({ source: `${folder}/new.txt`, destination: `${folder}/inner/moved.txt` }),
      says: 'Successfully moved',
    },
    search_files: { input: at('.', { pattern: '**/*.txt' }), says: 'inner/moved.txt' },
    get_file_info: { input: at('inner/moved.txt'), says: 'isFile: true' },
    list_allowed_directories: { says: '{folder}' },
  },
};
