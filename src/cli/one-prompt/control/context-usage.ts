import type { Session } from '../../../session/index.js';
import { toUsage } from '../stream-blocks.js';

/** How full the context is, in the shape of agent SDKs: by the API's own counting, as of the last request. */
export function toContextUsage({ conversation, model, usage }: Session): object {
  const most = model?.contextTokens ?? 0;
  const filled = conversation?.filled ?? 0;
  const report = conversation?.cost();
  const tools = report?.servers.flatMap(({ name: serverName, tools: own }) =>
    own.map(({ name, tokens, load }) => ({ name, serverName, tokens, isLoaded: load === 'always' })),
  );
  const free = Math.max(0, most - filled);
  const { system = 0, loaded = 0 } = filled === 0 ? {} : (report ?? {});
  const messages = Math.max(0, filled - system - loaded);
  return {
    categories: [
      { id: 'system_prompt', name: 'System prompt', tokens: system, color: 'blue', kind: 'used' },
      { id: 'mcp_tools', name: 'Tools', tokens: loaded, color: 'cyan', kind: 'used' },
      { id: 'messages', name: 'Messages', tokens: messages, color: 'purple', kind: 'used' },
      { id: 'free_space', name: 'Free space', tokens: free, color: 'gray', kind: 'free' },
    ],
    totalTokens: filled,
    maxTokens: most,
    rawMaxTokens: most,
    percentage: most === 0 ? 0 : Math.round((filled / most) * 100),
    gridRows: [],
    model: model?.name ?? '',
    memoryFiles: [],
    mcpTools: tools ?? [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: conversation ? toUsage(usage) : null,
  };
}
