import { ProtocolError } from '@modelcontextprotocol/server';
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';

const TEXT = '---\nname: brew\ndescription: Makes tea\n---\nWarm the pot, then read references/GUIDE.md.\n';
const files = { 'SKILL.md': TEXT, 'references/GUIDE.md': 'Three minutes.\n' };
const FRESH = { ttlMs: 60_000, cacheScope: 'public' };
const FOLDER = 'inode/directory';
const INVALID_PARAMS = -32602;

function invalid(uri) {
  return new ProtocolError(INVALID_PARAMS, `${uri} is not served here`, { uri });
}

/** One skill with a folder, by the skills extension. */
export async function openSkills() {
  const entry = await skillEntry('brew', files);
  const root = entry.uri.slice(0, -'/SKILL.md'.length);
  const { name, description } = entry.frontmatter;
  const manifest = { uri: entry.uri, name, description, mimeType: 'text/markdown' };
  const guide = { uri: `${root}/references/GUIDE.md`, name: 'GUIDE.md', mimeType: 'text/markdown' };
  const folders = new Map([
    [root, [manifest, { uri: `${root}/references`, name: 'references', mimeType: FOLDER }]],
    [`${root}/references`, [guide]],
  ]);
  return {
    capability: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    resources: [manifest],
    read(uri) {
      const file = uri.startsWith(`${root}/`) ? files[uri.slice(root.length + 1)] : undefined;
      return file === undefined ? undefined : { uri, mimeType: 'text/markdown', text: file };
    },
    handlers: {
      'skills/list': () => ({ skills: [entry], ...FRESH }),
      'skills/get': ({ uri }) => {
        if (uri !== entry.uri) throw invalid(uri);
        return { skill: entry, ...FRESH };
      },
      'resources/directory/read': ({ uri }) => {
        if (!folders.has(uri)) throw invalid(uri);
        return { resources: folders.get(uri), ...FRESH };
      },
    },
  };
}
