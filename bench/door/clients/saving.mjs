// The floor, and each text that comes is written to a file: what saving costs, without looking at what is saved.
import { writeFile } from 'node:fs/promises';

const floors = { stdio: '../../wire/clients/floor-stdio.mjs', http: '../../wire/clients/floor-socket.mjs' };

export async function open(options) {
  const { open: openFloor } = await import(floors[options.transport]);
  const client = await openFloor(options);
  let files = 0;
  return {
    ...client,
    async call(tool, input) {
      const result = await client.call(tool, input);
      await writeFile(`saved-${files++}.txt`, result.content[0].text);
      return result;
    },
  };
}
