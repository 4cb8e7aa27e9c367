import { type Action, defineAction } from '../action.js';
import { emitArgs, type Emitted, emittedJson, emitOpening, emitSource, tellEmitted } from './emit-source.js';

export const emitCli: Action<typeof emitArgs, Emitted> = defineAction({
  name: 'emit-cli',
  label: 'write a program',
  doing: 'writing a program',
  summary: 'Write a program with a command for each tool of a server',
  args: emitArgs,
  needs: 'host',
  opening: emitOpening('emit-cli'),
  async run(on, args, context) {
    const { programSource, PROGRAM_MARK } = await import('../../model/source/program-source.js');
    const options = { action: 'emit-cli', toSource: programSource, mark: PROGRAM_MARK, isProgram: true, context };
    return emitSource(on, args, options);
  },
  json: emittedJson,
  tell: tellEmitted,
});
