import {
  either,
  type FieldTable,
  filledText,
  listOf,
  mapOf,
  objectOf,
  oneWord,
  openObject,
  secretText,
  someText,
  someTexts,
  wholeNumber,
  yesOrNo,
} from '../../model/fields/shape.js';
import { flowModes } from '../../model/flow/flow-settings.js';
import type { HookEvent } from '../../model/hooks/hook-settings.js';
import { permissionModes } from '../../model/permissions/settings.js';
import { SANDBOX_FIELDS } from '../../transports/entry-fields.js';
import { GATEWAY_FIELDS } from './gateway-fields.js';

const mode = oneWord(...permissionModes);
const rules = listOf(filledText);

export const PERMISSION_FIELDS = {
  mode: {
    shape: mode,
    description:
      'What holds where no rule decides. `default` asks on first use; `auto-read` runs read-only tools of your own servers; `plan` denies tools that do not state that they only read; `dont-ask` denies instead of asking; `bypass` runs all but what a rule asks about or denies and tools that state that they are destructive.',
    default: '`default`',
    example: 'auto-read',
  },
  servers: {
    shape: mapOf(openObject({ mode: { shape: mode, description: 'The mode of this server.', isRequired: true } })),
    description: 'A mode for single servers, by name.',
    default: 'none',
    example: { github: { mode: 'plan' } },
  },
  deny: { shape: rules, description: 'Calls that never run. Deny beats ask.', default: 'none', example: ['mcp__prod'] },
  ask: {
    shape: rules,
    description: 'Calls that Plugboard always asks you about. Ask beats allow.',
    default: 'none',
    example: ['mcp__github__create_*'],
  },
  allow: {
    shape: rules,
    description: 'Calls that run without a question. A repository cannot set this.',
    default: 'none',
    example: ['mcp__github__get_*', 'Read'],
  },
} as const satisfies FieldTable;

const HOOK_COMMAND_FIELDS = {
  type: { shape: oneWord('command'), description: 'The only kind of hook there is.', default: '`command`' },
  command: { shape: filledText, isRequired: true, description: 'The command line. A shell runs it.' },
  timeout: {
    shape: { kind: 'number', min: 0, max: Number.MAX_SAFE_INTEGER, isFraction: true },
    description: 'Seconds until the hook counts as failed.',
    default: '60',
  },
  onFailure: {
    shape: oneWord('block', 'continue'),
    description:
      'What happens when the hook itself fails. `block`: no call, no result or no prompt; `continue`: as if there were no such hook, and you are told.',
    default: '`block`',
  },
  failOpen: { shape: yesOrNo, description: 'The older word: true means `onFailure: "continue"`.', default: 'false' },
} as const satisfies FieldTable;

const hookGroups = listOf(
  openObject({
    matcher: {
      shape: someText,
      description:
        'Which tools: a permission rule with `*`, or else a regular expression for the whole name. Which server (elicitations), or which source, reason or trigger (sessions).',
      default: 'everything',
    },
    hooks: { shape: listOf(openObject(HOOK_COMMAND_FIELDS)), isRequired: true, description: 'The commands to run.' },
  }),
);
const hookExample = [{ matcher: 'mcp__*', hooks: [{ type: 'command', command: './check-call' }] }];

const commandExample = [{ hooks: [{ type: 'command', command: './note-event' }] }];

export const HOOK_FIELDS = {
  PreToolUse: {
    shape: hookGroups,
    description: 'Before a call. The hook may block the call, allow it, have you asked, or change its input.',
    example: hookExample,
  },
  PermissionRequest: {
    shape: hookGroups,
    description: 'Where you would be asked about a call. The hook may decide in your place.',
    example: hookExample,
  },
  PostToolUse: {
    shape: hookGroups,
    description: 'After a call that succeeded. The hook may change the result, add to it, or withhold it.',
    example: hookExample,
  },
  PostToolUseFailure: {
    shape: hookGroups,
    description: 'After a call that failed, or may have. The hook may change what the model reads of it.',
    example: hookExample,
  },
  Elicitation: {
    shape: hookGroups,
    description: 'When a server asks you something. The hook may answer in your place.',
    example: hookExample,
  },
  ElicitationResult: {
    shape: hookGroups,
    description: 'Before the answer to a server is sent. The hook may replace it.',
    example: hookExample,
  },
  UserPromptSubmit: {
    shape: hookGroups,
    description: 'Before a prompt goes to the model. The hook may block it, or tell the model something with it.',
    example: commandExample,
  },
  SessionStart: {
    shape: hookGroups,
    description: 'When a session begins. The hook may tell the model something.',
    example: commandExample,
  },
  SessionEnd: { shape: hookGroups, description: 'When a session ends.', example: commandExample },
  Stop: {
    shape: hookGroups,
    description: 'When the model has nothing more to do. The hook may have it go on.',
    example: commandExample,
  },
  PreCompact: {
    shape: hookGroups,
    description: 'Before older messages are summarised. The hook may prevent it.',
    example: commandExample,
  },
  PostCompact: { shape: hookGroups, description: 'After older messages were summarised.', example: commandExample },
} as const satisfies FieldTable & Record<HookEvent, unknown>;

const POLICY_ENTRY_FIELDS = {
  serverName: { shape: someText, description: "The server's name." },
  serverCommand: {
    shape: { kind: 'list', of: someText, least: 1 },
    description: 'The command with all its arguments, exactly.',
  },
  serverUrl: { shape: someText, description: 'A URL pattern; `*` stands for any characters.' },
} as const satisfies FieldTable;

const policyList = listOf({ kind: 'object', fields: POLICY_ENTRY_FIELDS, count: 1 });

const MODEL_FIELDS = {
  name: { shape: filledText, description: 'The model, also with its provider: `anthropic/NAME`, `openai/NAME`.' },
  contextTokens: {
    shape: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    description: 'The size of its context window.',
    default: "what its provider's list of models says, else 200,000 (OpenAI-compatible: 128,000)",
  },
  maxTokens: { shape: wholeNumber(1, Number.MAX_SAFE_INTEGER), description: 'The longest answer to ask for.' },
  tools: {
    shape: { kind: 'list', of: openObject({}), most: 20 }, // more than any provider has
    description: 'Tools that the provider runs itself, in the format of its API.',
  },
} as const satisfies FieldTable;

const AGENT_FIELDS = {
  description: { shape: filledText, isRequired: true, description: 'When the model should use the sub-agent.' },
  prompt: { shape: filledText, isRequired: true, description: 'Instructions that come before its task.' },
  tools: {
    shape: someTexts,
    description: 'Permission rules: the sub-agent may use only what one of them names.',
    default: 'all tools',
  },
  mcpServers: {
    shape: listOf(either('a name or an object of entries', someText, openObject({}))),
    description: 'Names of your servers, and objects of entries that only the sub-agent has.',
    default: 'all servers',
  },
  maxTurns: {
    shape: wholeNumber(1, 1_000_000),
    description: 'How often the model may be asked for one task.',
    default: 'as often as for any sub-agent',
  },
} as const satisfies FieldTable;

function countOf(unit: string, most: number) {
  return { shape: wholeNumber(1, most), expected: `a whole number from 1 to ${most} (${unit})` } as const;
}

const SESSION_FIELDS = {
  days: {
    ...countOf('days', 36_500), // a hundred years
    description: 'Days for which a session is kept after its last message.',
    default: '30',
  },
  mb: {
    ...countOf('megabytes', 1_000_000), // a terabyte
    description: 'Megabytes that all sessions may have together; the oldest are deleted first.',
    default: '500',
  },
} as const satisfies FieldTable;

const RESULT_FIELDS = {
  days: {
    ...countOf('days', 36_500), // a hundred years
    description: 'Days for which a file is kept after it was written or last read.',
    default: '7',
  },
  mb: {
    ...countOf('megabytes', 100_000), // more would be too many files to look at
    description:
      'Megabytes that all files may have together, of all programs that use Plugboard; a file counts as 32 KB at least. The oldest are deleted first, those of programs that still run last.',
    default: '1024',
  },
} as const satisfies FieldTable;

export const FLOW_FIELDS = {
  mode: {
    shape: oneWord(...flowModes),
    description:
      'What happens to a call that would send out what was read, once text from outside is in the conversation. `ask` asks about copies; `strict` also asks about every call of another server that can send data out; `deny` denies copies; `off` looks at nothing.',
    default: '`ask` where you can be asked, else `off`',
    example: 'strict',
  },
  allow: {
    shape: listOf(filledText),
    description:
      'What may go where without a question: `source -> sink`, each the name of a server, or of a tool that no server has; `*` is any. A file is read by `Read`.',
    default: 'none',
    example: ['web -> notes', 'Read -> github'],
  },
} as const satisfies FieldTable;

/** The fields of `settings`, in the order in which they are listed. */
export const SETTINGS_FIELDS = {
  permissions: {
    shape: objectOf(PERMISSION_FIELDS),
    description: 'Rules and modes that decide which calls of a model may run.',
    example: { mode: 'default', allow: ['mcp__docs'], deny: ['mcp__prod'] },
  },
  hooks: {
    shape: objectOf(HOOK_FIELDS),
    description: 'Commands that see calls, questions of servers and sessions, and may block or change them.',
    example: { PreToolUse: hookExample },
  },
  flow: {
    shape: objectOf(FLOW_FIELDS),
    description:
      'What the flow guard does about text from outside, secrets and files that are about to leave. A repository cannot set this.',
    default: '`ask` where you can be asked, else `off`',
    example: { mode: 'ask', allow: ['web -> notes'] },
  },
  allowedMcpServers: {
    shape: policyList,
    description: 'Only these servers may run. An empty list allows none.',
    default: 'all servers',
    example: [{ serverName: 'github' }, { serverUrl: 'https://*.example.com/*' }],
  },
  deniedMcpServers: {
    shape: policyList,
    description: 'These servers may not run. Beats `allowedMcpServers`.',
    default: 'none',
    example: [{ serverCommand: ['npx', '-y', 'some-server'] }],
  },
  requireSandbox: {
    shape: either('true, false or an object', yesOrNo, objectOf(SANDBOX_FIELDS)),
    description:
      'Every server that is a process, and the headersHelper of a repository, plugin, linked file or connector, runs in a sandbox. An object gives every sandbox that much.',
    default: 'false',
    example: { network: true, memoryMb: 512 },
  },
  toolSearch: {
    shape: oneWord('auto', 'always', 'never'),
    description:
      'Whether a model searches for tools (`always`), sees all of them as far as `toolBytes` and the API allow (`never`), or the number of tools decides.',
    default: '`auto`',
    example: 'always',
  },
  toolBytes: {
    shape: wholeNumber(10_000, 32_000_000), // the host's own tools; the largest request that Anthropic's API takes
    description:
      "How many bytes the definitions of tools may have in a request to a model. With Anthropic's API, where all of them would fill more than three quarters, those that the model can search for are not sent: each joins when a search has found it, until the limit, or 10,000 tools, is reached. Further ones cannot be used in that conversation.",
    default: '1,000,000',
    example: 250_000,
  },
  connectors: {
    shape: openObject({
      url: { shape: someText, isRequired: true, description: 'The address of the catalogue.' },
      token: { shape: secretText, description: "Your account's token.", default: 'none' },
    }),
    expected: 'an object with "url" and "token"',
    description: "The catalogue that lists your account's connectors.",
    default: 'none',
    example: { url: 'https://connectors.example.com/list', token: '${CONNECTORS_TOKEN}' },
  },
  xaaIdp: {
    shape: openObject({
      issuer: { shape: someText, isRequired: true, description: 'The address of the identity provider.' },
      clientId: { shape: someText, isRequired: true, description: 'Your client there.' },
      clientSecret: { shape: secretText, description: 'Its secret.', default: 'none' },
      callbackPort: {
        shape: wholeNumber(1, 65_535),
        description: 'The port of the callback address.',
        default: 'a free one',
      },
      scopes: { shape: someTexts, description: 'The scopes to ask for.', default: "the provider's" },
    }),
    expected: 'an object with "issuer" and "clientId"',
    description: "Your company's identity provider, for servers with `xaa`.",
    default: 'none',
    example: { issuer: 'https://login.example.com', clientId: 'plugboard' },
  },
  pluginDirs: {
    shape: someTexts,
    expected: 'an array of folders',
    description:
      'Folders of plugins, or of one plugin. `~/` is your home folder; other relative paths begin at the folder of this file.',
    default: 'none besides `plugins/` beside this file',
    example: ['~/plugins'],
  },
  links: {
    shape: listOf(
      either(
        'the name of a host, or an object',
        someText,
        openObject({
          host: { shape: someText, isRequired: true, description: 'The host, as `plugboard import` names it.' },
          file: { shape: someText, description: 'One file of that host.', default: 'all of them' },
        }),
      ),
    ),
    expected: 'an array of { "host": "cursor", "file": "..." }',
    description: "Other hosts' files, read live. `plugboard import HOST --link` writes this.",
    default: 'none',
    example: ['cursor', { host: 'codex', file: '~/.codex/config.toml' }],
  },
  model: {
    shape: either('a name or an object', filledText, objectOf(MODEL_FIELDS)),
    expected: 'a name, or { "name": "...", "contextTokens": 200000, "maxTokens": 32000, "tools": [] }',
    description: 'The model of the session.',
    default: 'what the environment variables say',
    example: { name: 'qwen3', contextTokens: 32_768 },
  },
  agents: {
    shape: mapOf(openObject(AGENT_FIELDS), '^[A-Za-z0-9_-]{1,64}$'),
    expected: 'an object of agents by name',
    description: 'Sub-agents that the model may give tasks to, by name.',
    default: 'none',
    example: { reviewer: { description: 'Reviews a change', prompt: 'You review code.', mcpServers: ['github'] } },
  },
  sessions: {
    shape: objectOf(SESSION_FIELDS),
    expected: 'an object with "days" and "mb"',
    description: 'How long sessions are kept, for `--continue` and `--resume`.',
    default: '30 days, 500 MB',
    example: { days: 7 },
  },
  results: {
    shape: objectOf(RESULT_FIELDS),
    expected: 'an object with "days" and "mb"',
    description: 'How much is kept of results that were too large to be shown and are saved to files.',
    default: '7 days, 1024 MB',
    example: { mb: 200 },
  },
  gateway: {
    shape: objectOf(GATEWAY_FIELDS),
    expected: 'an object with "presets", "ask", "park", "results" and "streamAfterMs"',
    description: 'What holds for clients of `plugboard serve`.',
    default: 'as each field says',
    example: { ask: 'deny', presets: { reading: { servers: ['docs'] } } },
  },
} as const satisfies FieldTable;
