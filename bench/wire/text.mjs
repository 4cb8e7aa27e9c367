// The texts of this bench's servers: lines of 100 bytes like a log's, every third with a quoted word. In JSON that is
// five escapes in 300 bytes, one in 60. All of it ASCII.
const words = ['request', 'worker', 'cache', 'index', 'session', 'upstream', 'replica', 'shard'];
const LINE = 100;

export function makeText(length) {
  const lines = [];
  for (let index = 0; index * LINE < length; index++) lines.push(makeLine(index));
  return lines.join('').slice(0, length);
}

function makeLine(index) {
  const word = words[index % words.length];
  const said = index % 3 === 0 ? `"${word}"` : word;
  const start = `2026-11-15T10:42:17.${String(index % 1000).padStart(3, '0')}Z INFO  ${said} ${index} took ${index % 97} ms`;
  return `${start.padEnd(LINE - 4, ' and went on')}...\n`;
}
