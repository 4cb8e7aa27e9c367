import { defineEmit } from './emit-source.js';

export const emitTs = defineEmit({
  name: 'emit-ts',
  noun: 'client',
  summary: 'Write a typed TypeScript client for the tools of a server',
  isProgram: false,
  async load() {
    const { clientSource, CLIENT_MARK } = await import('../../model/source/client-source.js');
    return { toSource: clientSource, mark: CLIENT_MARK };
  },
});
