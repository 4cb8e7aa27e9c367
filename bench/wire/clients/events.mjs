import { cutLines } from '../lines.mjs';

/** Bytes of an event stream in; the data of each event and its name out. As much of the format as a good server uses. */
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
