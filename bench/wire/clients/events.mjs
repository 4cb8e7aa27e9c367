import { cutLines } from '../lines.mjs';

/** Parses the bytes of an event stream into the data and name of each event, as far as good servers use the format. */
export function cutEvents(take) {
  let name = 'message';
  let data;
  return cutLines((line) => {
    if (line === '' || line === '\r') {
      if (data !== undefined) take(data, name);
      name = 'message';
      data = undefined;
    } else if (line.startsWith('data: ')) {
      data = data === undefined ? line.slice(6) : `${data}\n${line.slice(6)}`;
    } else if (line.startsWith('event: ')) {
      name = line.slice(7);
    }
  });
}
