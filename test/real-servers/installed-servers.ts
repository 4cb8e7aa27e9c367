import type { InstalledServer } from './installed-server.js';

/** No process listens there. */
const DEAD = '127.0.0.1:9';
const NO_BROWSER = '/nowhere/chrome';
const NO_NAME = 'ENOTFOUND';

const inFolder = (more: object = {}) => ({ input: (folder: string) => ({ path: folder, ...more }) });

/** Real servers of every revision. None of them reaches beyond this machine (offline.cjs). */
export const installedServers: readonly InstalledServer[] = [
  {
    packageName: '@upstash/context7-mcp',
    modern: '2026-07-28',
    legacy: '2025-11-25',
    tools: 2,
    // This server does not report the failure as an error.
    calls: [
      { tool: 'resolve-library-id', says: 'fetch failed' },
      { tool: 'query-docs', says: 'fetch failed' },
    ],
  },
  {
    packageName: 'mongodb-mcp-server',
    env: { MDB_MCP_TELEMETRY: 'disabled' },
    modern: '2026-07-28',
    legacy: '2025-11-25',
    tools: 27,
    calls: [
      { tool: 'list-connections', says: 'There are no active connections' },
      {
        tool: 'connect',
        input: () => ({ connectionString: `mongodb://${DEAD}/?serverSelectionTimeoutMS=500` }),
        isError: true,
        says: 'You need to connect to a MongoDB instance',
      },
      { tool: 'search-knowledge', isError: true, says: NO_NAME },
      { tool: 'find', input: () => ({}), isError: true, says: 'Invalid arguments for tool find' },
    ],
  },
  {
    packageName: '@modelcontextprotocol/server-github',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'nobody' },
    legacy: '2024-11-05',
    tools: 26,
    calls: [
      { tool: 'get_issue', refuses: true, says: 'fetch failed' },
      { tool: 'search_repositories', input: () => ({}), refuses: true, says: 'Invalid input' },
    ],
  },
  {
    packageName: '@modelcontextprotocol/server-postgres',
    args: [`postgresql://nobody@${DEAD}/none`],
    legacy: '2024-11-05',
    tools: 1,
    calls: [{ tool: 'query', input: () => ({ sql: 'select 1' }), refuses: true, says: 'ECONNREFUSED' }],
  },
  {
    packageName: 'n8n-mcp',
    env: {
      MCP_MODE: 'stdio',
      LOG_LEVEL: 'error',
      DISABLE_CONSOLE_OUTPUT: 'true',
      N8N_MCP_TELEMETRY_DISABLED: 'true',
      N8N_API_URL: `http://${DEAD}`,
      N8N_API_KEY: 'nobody',
    },
    legacy: '2025-03-26',
    tools: 28,
    calls: [
      { tool: 'search_nodes', input: () => ({ query: 'webhook', limit: 5 }), says: '"results"' },
      {
        tool: 'get_node',
        input: () => ({ nodeType: 'nodes-base.webhook', detail: 'minimal' }),
        says: 'Starts the workflow when a webhook is called',
      },
      {
        tool: 'validate_node',
        input: () => ({ nodeType: 'nodes-base.webhook', config: {}, mode: 'minimal' }),
        says: '"valid": true',
      },
      { tool: 'n8n_list_workflows', says: '"success": false' },
    ],
  },
  {
    packageName: '@elastic/mcp-server-elasticsearch',
    env: { ES_URL: `http://${DEAD}`, ES_API_KEY: 'nobody' },
    legacy: '2025-06-18',
    tools: 4,
    isNoisy: true,
    calls: [{ tool: 'list_indices', says: 'ECONNREFUSED' }],
  },
  {
    packageName: '@notionhq/notion-mcp-server',
    env: { NOTION_TOKEN: 'ntn_nobody' },
    legacy: '2025-11-25',
    tools: 24,
    calls: [{ tool: 'API-get-self', refuses: true, says: NO_NAME }],
  },
  {
    packageName: '@cyanheads/git-mcp-server',
    env: { GIT_USERNAME: 'Ada', GIT_EMAIL: 'ada@example.com' },
    files: { 'notes.txt': 'one\n' },
    legacy: '2025-11-25',
    tools: 28,
    calls: [
      { tool: 'git_init', ...inFolder(), says: '{folder}' },
      { tool: 'git_status', ...inFolder(), says: 'notes.txt' },
      { tool: 'git_log', ...inFolder(), isError: true, says: 'does not have any commits yet' },
      { tool: 'git_add', ...inFolder({ paths: ['notes.txt'] }), says: 'notes.txt' },
      { tool: 'git_commit', ...inFolder({ message: 'Write notes' }), says: 'Write notes' },
      { tool: 'git_log', ...inFolder(), says: 'Write notes' },
      { tool: 'git_blame', ...inFolder({ file: 'notes.txt' }), isError: true, says: 'filePath' },
      { tool: 'git_blame', ...inFolder({ filePath: 'notes.txt' }), says: 'Ada' },
      { tool: 'git_push', ...inFolder(), isError: true, says: 'Error' },
    ],
  },
  {
    packageName: '@playwright/mcp',
    args: [
      '--headless',
      `--executable-path=${NO_BROWSER}`,
      '--caps=vision,pdf,devtools,testing,storage,network,config',
    ],
    legacy: '2025-11-25',
    tools: 72,
    calls: [{ tool: 'browser_navigate', input: () => ({ url: 'about:blank' }), isError: true, says: NO_BROWSER }],
  },
  {
    packageName: 'chrome-devtools-mcp',
    args: ['--headless', `--executablePath=${NO_BROWSER}`, '--no-usage-statistics', '--no-performance-crux'],
    // Otherwise the server looks for updates in a process that leaves its process group and outlives it.
    env: { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1' },
    legacy: '2025-11-25',
    tools: 32,
    calls: [{ tool: 'list_pages', isError: true, says: NO_BROWSER }],
  },
  {
    packageName: 'firecrawl-mcp',
    env: { FIRECRAWL_API_KEY: 'fc-nobody' },
    legacy: '2025-06-18',
    tools: 26,
    calls: [
      { tool: 'firecrawl_scrape', input: () => ({ url: 'https://example.com' }), isError: true, says: NO_NAME },
      { tool: 'firecrawl_check_crawl_status', isError: true, says: NO_NAME },
    ],
  },
  {
    packageName: '@sentry/mcp-server',
    args: ['--access-token=nobody'],
    legacy: '2025-11-25',
    tools: 9,
    calls: [
      { tool: 'search_sentry_tools', input: () => ({ query: 'issue' }), says: 'add_issue_note' },
      { tool: 'find_organizations', isError: true, says: 'Hostname not found' },
    ],
  },
  {
    packageName: 'mcp-server-kubernetes',
    legacy: '2025-11-25',
    tools: 23,
    calls: [
      { tool: 'ping', says: '' },
      { tool: 'kubectl_get', input: () => ({ resourceType: 'pods' }), refuses: true, says: 'Failed to get resource' },
    ],
  },
  {
    packageName: '@modelcontextprotocol/server-pdf',
    args: ['--stdio', '{folder}/paper.pdf'],
    files: { 'paper.pdf': '%PDF-1.4 nothing more' },
    legacy: '2025-11-25',
    tools: 9,
    calls: [
      { tool: 'list_pdfs', says: '{folder}/paper.pdf' },
      {
        tool: 'read_pdf_bytes',
        input: (folder) => ({ url: `${folder}/paper.pdf`, byteCount: 8 }),
        says: '8 bytes at 0/21',
      },
      { tool: 'read_pdf_bytes', input: () => ({ url: '/nowhere.pdf' }), isError: true, says: 'not in allowed list' },
    ],
  },
  {
    packageName: '@modelcontextprotocol/server-map',
    args: ['--stdio'],
    legacy: '2025-11-25',
    tools: 2,
    calls: [
      { tool: 'show-map', says: 'Displaying globe' },
      { tool: 'geocode', isError: true, says: 'fetch failed' },
    ],
  },
  {
    packageName: '@modelcontextprotocol/server-budget-allocator',
    args: ['--stdio'],
    legacy: '2025-11-25',
    tools: 1,
    calls: [{ tool: 'get-budget-data', says: 'Default Budget: $100,000' }],
  },
  {
    packageName: 'tavily-mcp',
    env: { TAVILY_API_KEY: 'tvly-nobody' },
    legacy: '2025-11-25',
    tools: 5,
    calls: [{ tool: 'tavily_search', isError: true, says: NO_NAME }],
  },
  {
    packageName: 'figma-developer-mcp',
    args: ['--stdio', '--figma-api-key=nobody'],
    legacy: '2025-11-25',
    tools: 2,
    calls: [
      {
        tool: 'get_figma_data',
        input: () => ({ fileKey: 'abc' }),
        isError: true,
        says: 'Could not connect to the Figma',
      },
    ],
  },
  {
    packageName: '@eslint/mcp',
    files: {
      'eslint.config.mjs': "export default [{ rules: { 'no-var': 'error' } }];\n",
      'old.js': 'var a = 1;\n',
    },
    legacy: '2025-11-25',
    tools: 1,
    calls: [
      { tool: 'lint-files', input: (folder) => ({ filePaths: [`${folder}/old.js`] }), says: 'Unexpected var' },
      {
        tool: 'lint-files',
        input: (folder) => ({ filePaths: [`${folder}/absent.js`] }),
        isError: true,
        says: 'absent.js',
      },
    ],
  },
];
