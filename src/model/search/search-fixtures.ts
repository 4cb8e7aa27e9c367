import type { SearchDocument } from './search-document.js';
import { SearchIndex } from './search-index.js';

/** Tools of real servers: each with name, description and parameters. */
const servers: Readonly<Record<string, readonly (readonly [tool: string, description: string, parameters: string])[]>> =
  {
    github: [
      ['create_issue', 'Create a new issue in a GitHub repository', 'owner repo title body labels assignees'],
      [
        'list_issues',
        'List issues in a GitHub repository with filtering options',
        'owner repo state labels sort direction',
      ],
      ['add_issue_comment', 'Add a comment to an existing issue', 'owner repo issue_number body'],
      ['create_pull_request', 'Create a new pull request in a GitHub repository', 'owner repo title head base draft'],
      ['merge_pull_request', 'Merge a pull request', 'owner repo pull_number merge_method'],
      ['search_code', 'Search for code across GitHub repositories', 'q per_page page'],
      ['fork_repository', 'Fork a GitHub repository to your account or organization', 'owner repo organization'],
      ['create_branch', 'Create a new branch in a GitHub repository', 'owner repo branch from_branch'],
      [
        'get_file_contents',
        'Get the contents of a file or directory from a GitHub repository',
        'owner repo path branch',
      ],
    ],
    slack: [
      ['slack_post_message', 'Post a new message to a Slack channel', 'channel_id text'],
      ['slack_reply_to_thread', 'Reply to a specific message thread in Slack', 'channel_id thread_ts text'],
      ['slack_add_reaction', 'Add a reaction emoji to a message', 'channel_id timestamp reaction'],
      ['slack_get_channel_history', 'Get recent messages from a channel', 'channel_id limit'],
      ['slack_get_users', 'Get a list of all users in the workspace with their basic profile', 'cursor limit'],
    ],
    filesystem: [
      ['readFile', 'Read the complete contents of a file. Only works within allowed directories.', 'path'],
      ['writeFile', 'Create a new file or overwrite an existing file with new content.', 'path content'],
      ['listDirectory', 'Get a detailed listing of all files and directories in a path.', 'path'],
      ['moveFile', 'Move or rename files and directories.', 'source destination'],
      ['searchFiles', 'Recursively search for files matching a pattern.', 'path pattern excludePatterns'],
    ],
    calendar: [
      ['list-events', 'List the events of a calendar between two dates', 'calendarId timeMin timeMax'],
      [
        'create-event',
        'Create a meeting or another event, and invite people',
        'calendarId summary start end attendees',
      ],
      ['delete-event', 'Delete an event from a calendar', 'calendarId eventId'],
      ['get-freebusy', 'Find out when people are free or busy', 'timeMin timeMax calendars'],
    ],
    db: [
      ['query', 'Run a read-only SQL query against the PostgreSQL database', 'sql'],
      ['list_tables', 'List all tables of the database, with their schemas', 'schema'],
      ['describe_table', 'Columns, types and indexes of one table', 'table schema'],
      ['exportCSV', 'Export the rows of a query as CSV', 'sql delimiter'],
    ],
  };

export const documents: ReadonlyMap<string, readonly SearchDocument[]> = new Map(
  Object.entries(servers).map(([server, tools]) => [
    server,
    tools.map(([tool, description, parameters]) => ({
      name: `mcp__${server}__${tool}`,
      tool,
      description,
      parameters: parameters.split(' '),
    })),
  ]),
);

export function toIndex(all: Iterable<readonly [server: string, list: Iterable<SearchDocument>]>): SearchIndex {
  const index = new SearchIndex();
  for (const [server, list] of all) {
    const add = index.replace(server);
    for (const document of list) add(document);
  }
  return index;
}
