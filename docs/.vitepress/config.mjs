// The documentation site. Its pages are the Markdown files of the repository, so that a link works there, in a clone and
// here. Nothing is fetched from elsewhere: search is local, fonts and scripts are in the site.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const page = (text, name) => ({ text, link: `/docs/${name}` });
const file = (text, name) => ({ text, link: `/${name}` });

/** Pages outside of docs/ do not find the packages of docs/node_modules by themselves. */
const vueForPages = {
  name: 'vue-for-pages',
  enforce: 'pre',
  resolveId(source, importer, { ssr }) {
    if (!/^(?:vue|@vue\/[\w-]+)(?:\/|$)/u.test(source)) return undefined;
    if (ssr === true) return { id: source, external: true };
    if (!importer?.includes('.md')) return undefined;
    return this.resolve(source, fileURLToPath(import.meta.url), { skipSelf: true });
  },
};

// oxlint-disable-next-line import/no-default-export -- VitePress wants it
export default defineConfig({
  title: 'Plugboard',
  description: 'An MCP host: a terminal session, a command for scripts, a library',
  srcDir: '..',
  // Only the pages below are part of the site.
  srcExclude: [
    '**/node_modules/**',
    'test/**',
    'src/**',
    'dist/**',
    'bench/peers/**',
    '.github/**',
    'docs/api/_media/**',
  ],
  // README is the first page. Nothing else moves, so that links between files stay right.
  rewrites: { 'README.md': 'index.md' },
  // LICENSE is a file without an extension, which looks like a page.
  ignoreDeadLinks: [/\/LICENSE$/u],
  cleanUrls: false,
  lastUpdated: false,
  vite: { plugins: [vueForPages], build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Getting started', 'getting-started'), page('Configuration', 'configuration'), page('API', 'api/')],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Getting started', 'getting-started'),
          page('The session', 'session'),
          page('Migrating', 'migrating'),
        ],
      },
      {
        text: 'Look up',
        items: [
          page('Configuration', 'configuration'),
          page('Commands and exit codes', 'commands'),
          page('Troubleshooting', 'troubleshooting'),
          page('API', 'api/'),
          file('Changelog', 'CHANGELOG'),
        ],
      },
      {
        text: 'Understand',
        items: [
          page('Servers', 'servers'),
          page('Permissions and approvals', 'permissions'),
          page('What leaves: the flow guard', 'flow-guard'),
          page('Signing in', 'signing-in'),
          page('Hooks', 'hooks'),
          page('What servers cost and bring', 'value'),
          page('Sandbox', 'sandbox'),
          page('The gateway', 'gateway'),
          page('Embedding', 'embedding'),
          page('Agent SDKs', 'agent-sdks'),
          page('Testing', 'testing'),
          file('Security', 'SECURITY'),
        ],
      },
      {
        text: 'Work on Plugboard',
        items: [
          file('Contributing', 'CONTRIBUTING'),
          file('Architecture', 'ARCHITECTURE'),
          page('Decisions', 'decisions'),
          file('Benches', 'bench/README'),
          page('Releasing', 'releasing'),
        ],
      },
    ],
  },
});
