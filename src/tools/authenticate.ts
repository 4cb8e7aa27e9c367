import type { SignIn } from '../auth/sign-in.js';
import { unreachable } from '../base/never.js';
import { toBits } from '../connection/catalog/fetch-list.js';
import type { ServerToolDefinition } from '../connection/catalog/tool-definition.js';
import { failed } from '../model/failed-result.js';
import type { ToolResult } from '../model/tool.js';
import type { ToolList } from './tool-list.js';

/** The tool that begins a sign-in: it stands in for a server's tools, which cannot be listed before. */
export const AUTHENTICATE = 'authenticate';

/** Tools of a server that needs a sign-in. `beside`: its usable tools, when only some need more scopes. */
export function authenticateList(server: string, beside: ToolList | undefined): ToolList {
  const own = toAuthenticate(server, beside !== undefined);
  const bits = toBits(own).toString(16).padStart(2, '0');
  const { names, labels, bits: others } = beside?.toolColumns ?? { names: [], labels: () => [], bits: '' };
  const toolColumns = {
    names: [...names, AUTHENTICATE],
    labels: () => [...labels(), own.title ?? ''],
    bits: others + bits,
  };
  return {
    toolColumns,
    tool: async (name) => (name === AUTHENTICATE ? own : beside?.tool(name)),
    toolDefinitions: (wanted) => [
      ...(beside?.toolDefinitions(wanted.filter((name) => name !== AUTHENTICATE)) ?? []),
      ...(wanted.includes(AUTHENTICATE) ? [own] : []),
    ],
  };
}

function toAuthenticate(server: string, isStepUp: boolean): ServerToolDefinition {
  const why = isStepUp
    ? `Some tools of the server "${server}" need more rights than the user has given.`
    : `The server "${server}" needs the user to sign in before its tools can be used.`;
  return {
    name: AUTHENTICATE,
    title: `Sign in to ${server}`,
    description: `${why} Call this to begin; it returns an address for the user to open. When they have done so, the tools become available by themselves.`,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: undefined,
    // Only begins a sign-in; the user has to finish it.
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: true, needsUser: false, isHidden: false },
    meta: { searchHint: 'sign in log in authenticate authorize', maxResultChars: undefined },
  };
}

/** What a model is told when a sign-in has begun. `isOpened`: the user's browser shows the page. */
export function toSignInResult(server: string, signIn: SignIn, isOpened: boolean): ToolResult {
  switch (signIn.kind) {
    case 'done':
      return told(`Signed in to "${server}". Its tools become available by themselves.`);
    case 'failed':
      return failed('error', signIn.error, 1);
    case 'browser': {
      const { url, host, scopes } = signIn;
      const rights = scopes.length === 0 ? '' : ` It asks for these rights: ${scopes.join(', ')}.`;
      const opened = isOpened ? 'It has been opened in their browser. If they do not see it, ask' : 'Ask';
      return told(
        `The user has to sign in to "${server}" at ${host}.${rights} ${opened} them to open this address, exactly as it is: ${url}\n` +
          'When they have finished there, the tools of the server become available by themselves; do not call this again in the meantime.',
        { url },
      );
    }
    case 'device': {
      const { url, userCode, completeUrl } = signIn;
      return told(
        `The user has to sign in to "${server}": ask them to open ${url} on any device and to type in the code ${userCode}.` +
          `${completeUrl === undefined ? '' : ` Or, with the code in it: ${completeUrl}`}\n` +
          'When they have finished there, the tools of the server become available by themselves.',
        { url, userCode },
      );
    }
    default:
      return unreachable(signIn);
  }
}

function told(text: string, structuredContent?: object): ToolResult {
  return {
    outcome: 'ok',
    content: [{ type: 'text', text }],
    ...(structuredContent && { structuredContent }),
    saved: [],
    notes: [],
    attempts: 1,
  };
}
