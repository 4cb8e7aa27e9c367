import { defineEmit } from './emit-source.js';

export const emitCli = defineEmit({
  name: 'emit-cli',
  noun: 'program',
  summary: 'Write a program with a command for each tool of a server',
  isProgram: true,
  async load() {
    const { programSource, PROGRAM_MARK } = await import('../../model/source/program-source.js');
    return { toSource: programSource, mark: PROGRAM_MARK };
  },
});
