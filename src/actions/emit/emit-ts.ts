import { type Action, defineAction } from '../action.js';
import { emitArgs, type Emitted, emittedJson, emitOpening, emitSource, tellEmitted } from './emit-source.js';

export const emitTs: Action<typeof emitArgs, Emitted> = defineAction({
  name: 'emit-ts',
  label: 'write a client',
  doing: 'writing a client',
  summary: 'Write a typed TypeScript client for the tools of a server',
  args: emitArgs,
  needs: 'host',
  opening: emitOpening('emit-ts'),
  async run(on, args, context) {
    const { clientSource, CLIENT_MARK } = await import('../../model/source/client-source.js');
    const options = { action: 'emit-ts', toSource: clientSource, mark: CLIENT_MARK, isProgram: false, context };
    return emitSource(on, args, options);
  },
  json: emittedJson,
  tell: tellEmitted,
});
