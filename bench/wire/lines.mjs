/** Splits the chunks of a stream's `data` events into lines: chunks are kept, and joined once per line. No bounds. */
export function cutLines(take) {
  let pieces = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (pieces.length === 0) {
        take(chunk.utf8Slice(start, end));
      } else {
        pieces.push(chunk.subarray(start, end));
        const line = Buffer.concat(pieces);
        pieces = [];
        take(line.utf8Slice(0, line.length));
      }
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(start === 0 ? chunk : chunk.subarray(start));
  };
}
