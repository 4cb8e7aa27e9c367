import type { JsonObject } from '../../base/json.js';
import type { FakeTool } from '../fake-server.js';
import type { FlowServer } from './flow-scenario.js';

// Servers as users have them. Their tools state the hints that servers of their kind state, which often are none.

/** Fetches pages by their addresses, and opens them in a browser. */
export function webServer(pages: Texts): FlowServer {
  const open = ({ url }: JsonObject): string => pages[String(url)] ?? 'HTTP 200, 0 bytes';
  return {
    tools: {
      fetch: { description: 'Fetches a page', annotations: { readOnlyHint: true, openWorldHint: true }, run: open },
      request: { description: 'Sends an HTTP request', run: open },
      navigate: { description: 'Opens a page in the browser', annotations: { openWorldHint: true }, run: open },
      search: {
        description: 'Searches the web',
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: ({ query }) => pages[`search: ${String(query)}`] ?? 'No results.',
      },
    },
  };
}

/** The user's notes, which stay on this machine, as the server states. */
export function notesServer(notes: Texts): FlowServer {
  return {
    tools: {
      list_notes: {
        description: 'Lists all notes',
        annotations: CLOSED_READ,
        run: () => Object.keys(notes).join('\n'),
      },
      read_note: {
        description: 'Reads a note',
        annotations: CLOSED_READ,
        run: ({ name }) => found(notes, name, 'note'),
      },
      write_note: {
        description: 'Writes a note',
        annotations: CLOSED_WRITE,
        run: ({ name }) => `Saved ${String(name)}`,
      },
    },
  };
}

/** A mailbox. Reading is stated to be read-only, and nothing else is stated. */
export function mailServer(messages: Texts): FlowServer {
  return {
    tools: {
      list_messages: {
        description: 'Lists the messages of the inbox',
        annotations: { readOnlyHint: true },
        run: () => Object.entries(messages).map(subjectLine).join('\n'),
      },
      read_message: {
        description: 'Reads a message',
        annotations: { readOnlyHint: true },
        run: ({ id }) => found(messages, id, 'message'),
      },
      send_message: { description: 'Sends a message', run: ({ to }) => `Sent to ${String(to)}` },
    },
  };
}

/** Issues and pull requests of repositories, by `owner/name#number`. Only reading is stated. */
export function trackerServer(issues: Texts): FlowServer {
  return {
    tools: {
      get_issue: {
        description: 'Reads an issue',
        annotations: { title: 'Get issue', readOnlyHint: true },
        run: ({ repo, number }) => found(issues, `${String(repo)}#${String(number)}`, 'issue'),
      },
      create_issue: {
        description: 'Opens an issue',
        annotations: { title: 'Open new issue', readOnlyHint: false },
        run: ({ title, body }) => `Created #99: ${String(title)}\n\n${String(body)}`,
      },
      add_comment: {
        description: 'Comments on an issue',
        annotations: { title: 'Add comment', readOnlyHint: false },
        run: ({ number }) => `Commented on #${String(number)}`,
      },
    },
  };
}

/** A chat of many people. Nothing is stated. */
export function chatServer(channels: Texts = {}): FlowServer {
  return {
    tools: {
      read_channel: { description: 'Reads a channel', run: ({ channel }) => found(channels, channel, 'channel') },
      post_message: { description: 'Posts a message', run: ({ channel }) => `Posted in ${String(channel)}` },
    },
  };
}

/** Files of one folder of this machine, with the hints of the official server. */
export function filesServer(files: Texts): FlowServer {
  return {
    tools: {
      list_directory: {
        description: 'Lists a folder',
        annotations: CLOSED_READ,
        run: () => Object.keys(files).join('\n'),
      },
      read_text_file: {
        description: 'Reads a file',
        annotations: CLOSED_READ,
        run: ({ path }) => found(files, path, 'file'),
      },
      write_file: {
        description: 'Writes a file',
        annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: false },
        run: ({ path }) => `Successfully wrote to ${String(path)}`,
      },
      edit_file: {
        description: 'Replaces parts of a file',
        annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true, openWorldHint: false },
        run: ({ path }) => `Edited ${String(path)}`,
      },
    },
  };
}

/** A database of this machine, as the server states. `answers`: by a word of the statement. */
export function databaseServer(answers: Texts): FlowServer {
  const run: FakeTool['run'] = ({ sql }) =>
    Object.entries(answers).find(([word]) => String(sql).includes(word))?.[1] ?? '0 rows';
  return {
    tools: {
      query: { description: 'Runs a SELECT', annotations: CLOSED_READ, run },
      execute: {
        description: 'Runs any statement',
        annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
        run,
      },
    },
  };
}

/** Customers of a company, inside the company, as the server states. */
export function customersServer(customers: Texts): FlowServer {
  return {
    tools: {
      find_customers: {
        description: 'Finds customers',
        annotations: CLOSED_READ,
        run: ({ query }) => found(customers, query, 'customer'),
      },
      update_customer: { description: 'Changes a customer', annotations: CLOSED_WRITE, run: () => 'Updated' },
    },
  };
}

/** Appointments of a user, some of them made by others. Nothing is stated. */
export function calendarServer(events: Texts): FlowServer {
  return {
    tools: {
      list_events: {
        description: 'Lists the events of a day',
        annotations: { readOnlyHint: true },
        run: ({ day }) => found(events, day, 'event'),
      },
      create_event: { description: 'Creates an event', run: ({ title }) => `Created "${String(title)}"` },
    },
  };
}

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>;

const CLOSED_READ = { readOnlyHint: true, openWorldHint: false } as const;
const CLOSED_WRITE = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

function found(texts: Texts, name: unknown, what: string): string {
  const text = texts[String(name)];
  if (text === undefined) throw new Error(`There is no ${what} "${String(name)}"`);
  return text;
}

function subjectLine([id, text]: readonly [string, string]): string {
  return `${id}: ${/^Subject: (.*)$/mu.exec(text)?.[1] ?? '(no subject)'}`;
}
